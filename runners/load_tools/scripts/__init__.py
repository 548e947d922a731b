"""What runs on the hosts: POSIX sh, and Python 3.8 with nothing but its standard library."""
