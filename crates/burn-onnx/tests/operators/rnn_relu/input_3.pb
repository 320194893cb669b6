
Binput_3J(m‹¿¶D¾ƒÜj¾ÚPˆ¿VFf¿Ia>à#‹¾à|r>Ìúx=¬1)>