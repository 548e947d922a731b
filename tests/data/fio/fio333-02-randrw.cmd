fio --name=mixed --filename=./f --size=32m --rw=randrw --rwmixread=70 --bs=4k --ioengine=libaio --iodepth=8 --direct=1 --runtime=3 --time_based --numjobs=2 --group_reporting
