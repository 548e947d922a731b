fio --name=x --filename=/proc/nope/f --size=16m --rw=read --output-format=json
