fio --name=seqwrite --filename=./f --size=16m --rw=write --bs=64k --output-format=normal,json
