#!/bin/sh
# Makes what the functions work on, the same on every machine: a picture and a film of ffmpeg's own patterns, and a watermark.
#
#	inputs.sh PACKAGES FOLDER
#
# PACKAGES has imageio-ffmpeg, which brings ffmpeg. FOLDER gets ffmpeg, watermark.png, and the buckets of the object store.
set -eu
found=$(ls "$1"/imageio_ffmpeg/binaries/ffmpeg-* | head -n 1)
to=$2
cp "$found" "$to/ffmpeg"
chmod +x "$to/ffmpeg"
mkdir -p "$to/s3/inputs" "$to/s3/uploads" "$to/s3/outputs"

make() {
	"$to/ffmpeg" -nostdin -hide_banner -loglevel error -y "$@"
}
exact="-threads 1 -fflags +bitexact -flags +bitexact"
make -f lavfi -i "testsrc2=size=912x1368,noise=alls=30:all_seed=42,scale=3648:5472" -frames:v 1 -q:v 4 $exact "$to/s3/inputs/picture.jpg"
make -f lavfi -i testsrc2=size=1280x720:rate=30 -t 3 -pix_fmt yuv420p $exact "$to/s3/inputs/film.mp4"
make -f lavfi -i "color=color=white@0.6:size=320x90,format=rgba" -frames:v 1 $exact "$to/watermark.png"

# The film as it has to become, for the check.
make -threads 1 -i "$to/s3/inputs/film.mp4" -i "$to/watermark.png" -t 1 -filter_complex "overlay=(main_w-overlay_w)/2:(main_h-overlay_h)/2" $exact "$to/watermark.mp4"
