#!/bin/sh
# Starts Java: the one that JAVA_HOME names, or else the one on the PATH. TRACETAX_JDK chooses
# among those that are installed, by its number (17) or the newest: a variant does so by env.
set -eu

# number is the feature version of the JDK in a folder, as its release file has it.
number() {
	sed -n 's/^JAVA_VERSION="\(1\.\)\{0,1\}\([0-9]*\).*/\2/p' "$1/release"
}

# chosen prints the folder of the JDK that is asked for.
chosen() {
	best=0 found=
	for home in "${JAVA_HOME:-}" ${TRACETAX_JDKS:-/usr/lib/jvm/*}; do
		[ -n "$home" ] && [ -x "$home/bin/java" ] && [ -r "$home/release" ] || continue
		n=$(number "$home")
		[ -n "$n" ] || continue
		if [ "$1" = "$n" ]; then
			echo "$home"
			return
		fi
		if [ "$1" = newest ] && [ "$n" -gt "$best" ]; then
			best=$n found=$home
		fi
	done
	[ -n "$found" ] && echo "$found"
}

if [ -n "${TRACETAX_JDK:-}" ]; then
	home=$(chosen "$TRACETAX_JDK") || {
		echo "java.sh: there is no JDK $TRACETAX_JDK, neither in JAVA_HOME nor in ${TRACETAX_JDKS:-/usr/lib/jvm}; name the folders of yours with TRACETAX_JDKS" >&2
		exit 1
	}
	exec "$home/bin/java" "$@"
fi
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" "$@"
