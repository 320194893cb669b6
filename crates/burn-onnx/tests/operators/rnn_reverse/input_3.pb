
Binput_3J(²Q—>‡Pp?UEV?”½x>ÊbŒ>ÜËi>®;C¾¶—<?ùõ>XHá=