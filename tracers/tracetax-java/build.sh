#!/bin/sh
# Builds the agent: sh build.sh ASM-JAR FOLDER makes FOLDER/tracetax-agent.jar. It needs javac and jar of a JDK 17 or newer;
# where there is a C compiler, the jar has the library for the clock of JDK 17 to 21.
set -eu
asm=$1 out=$2
cd "$(dirname "$0")"
rm -rf "$out/jar" && mkdir -p "$out/jar/inst/boot"
compile() {
	javac -source 17 -target 17 -Xlint:-options -XDignore.symbol.file -XDstringConcat=inline -proc:none -encoding UTF-8 \
		--add-exports java.base/jdk.internal.misc=ALL-UNNAMED --add-exports java.base/jdk.internal.access=ALL-UNNAMED \
		--add-exports java.base/jdk.internal.vm.annotation=ALL-UNNAMED --add-exports java.base/sun.nio.ch=ALL-UNNAMED "$@"
}
compile -d "$out/jar/inst/boot" src/tracetax/ring/*.java
compile -cp "$out/jar/inst/boot:$asm" -d "$out/jar/inst" src/tracetax/agent/*.java
compile -d "$out/jar" src/tracetax/*.java
(cd "$out/jar/inst" && jar --extract --file "$asm" org)
if command -v cc >/dev/null; then
	machine=$(uname -m)
	[ "$machine" = x86_64 ] && machine=amd64
	mkdir -p "$out/jar/inst/native/$machine"
	cc -O2 -shared -fPIC -o "$out/jar/inst/native/$machine/libticks.so" native/ticks.c || rm -r "$out/jar/inst/native"
fi
printf '%s\n' 'Premain-Class: tracetax.Agent' 'Agent-Class: tracetax.Agent' 'Can-Retransform-Classes: true' \
	'Can-Redefine-Classes: true' >"$out/manifest"
jar --create --no-compress --file "$out/tracetax-agent.jar" --manifest "$out/manifest" -C "$out/jar" .
