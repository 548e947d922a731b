fio --name=x --filename=./f --size=16m --rw=read --minimal
