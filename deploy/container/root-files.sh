#!/bin/sh
# Adds to a folder what the program needs of a system: Node with its libraries, `kawaraban`, a user and folders.
#
#   sh deploy/container/root-files.sh <folder> [node]
set -eu

here="$(cd "$(dirname "$0")" && pwd)"
root="$1"
node="${2:-$(command -v node)}"

mkdir -p "$root/usr/local/bin" "$root/etc" "$root/data" "$root/tmp" "$root/proc" "$root/dev" "$root/var/lib/dpkg/status.d"
cp "$node" "$root/usr/local/bin/node"
cp "$here/kawaraban.cjs" "$root/usr/local/bin/kawaraban"
chmod 755 "$root/usr/local/bin/node" "$root/usr/local/bin/kawaraban"

# The loader and the libraries, at their own paths.
libraries="$(ldd "$node" | grep -o '/[^ ]*')"
for library in $libraries; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
# Where scanners look for the versions of Debian packages.
for name in libc6 libgcc-s1 libstdc++6; do
  dpkg-query --status "$name" >"$root/var/lib/dpkg/status.d/$name"
done
cp -L /etc/os-release "$root/etc/os-release"

echo 'kawaraban:x:10001:10001::/data:/sbin/nologin' >"$root/etc/passwd"
echo 'kawaraban:x:10001:' >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
chown 10001:10001 "$root/data"
chmod 1777 "$root/tmp"
