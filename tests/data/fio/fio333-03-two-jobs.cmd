fio --name=seqwrite --filename=./f --size=32m --rw=write --bs=64k --ioengine=psync --fsync=4 --runtime=3 --name=randread --stonewall --filename=./f --size=32m --rw=randread --bs=4k --ioengine=psync
