Binput_1J ê“—¿˜æ?>q½$¾ma#¿3
X?Pø¾yp>æ¾