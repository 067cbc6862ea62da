#!/bin/sh
# Jena 4.5.0 (Debian 12, libapache-jena-java), TDB2: an xsd:integer beyond 64 bits comes out of the database as another
# number: 9223372036854775808 as -9223372036854775808, and 10 to the power of 39 as 6873995514006732800. Loading and dumping
# end with 0 and print nothing. The same library reads and writes the same numbers in memory as they are.
# A good guess is wrong: xsd:integer has no limit, Jena's integers are BigIntegers, and TDB2 is said to keep what does not
# fit into its 56 bits of inline values as a term in the node table.
# It hurts who keeps hashes, nanoseconds times counts or other large ids as integers. Numbers of up to 64 bits are right.
set -eu
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq libapache-jena-java=4.5.0-2 2> /dev/null
set -- libxerces2-java libcommons-io-java libcommons-lang3-java libcommons-cli-java libcommons-codec-java \
  libcommons-csv-java libcommons-compress-java libcaffeine-java libthrift-java libslf4j-java libprotobuf-java \
  libguava-java libgoogle-gson-java libhttpclient-java libhttpcore-java libjsonld-java libdexx-java \
  libtitanium-json-ld-java libxml-commons-resolver1.1-java
for package; do apt-get download -qq "$package" 2> /dev/null || true; done
for package in *.deb; do dpkg -x "$package" .; done
# Debian moved classes of Xerces into Jena's archive, without the files of messages that they need.
python3 - <<'PYTHON'
import zipfile, pathlib

for jar, start in (("jena-core", "org/apache/jena/ext/xerces/"), ("xercesImpl", "org/apache/xerces/")):
    [file] = pathlib.Path("usr/share/java").glob(f"{jar}.jar")
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():
            if name.startswith(start) and name.endswith(".properties"):
                target = pathlib.Path("messages/xerces", name.removeprefix(start))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(name))
PYTHON
path="$PWD/messages:$(find "$PWD/usr/share/java" -name '*.jar' ! -name '*log4j*' ! -name '*jcl*' ! -name 'slf4j-jdk*' | paste -sd :)"
xsd=http://www.w3.org/2001/XMLSchema#
cat > data.nq <<DATA
<urn:s> <urn:a> "9223372036854775807"^^<${xsd}integer> <urn:g> .
<urn:s> <urn:b> "9223372036854775808"^^<${xsd}integer> <urn:g> .
<urn:s> <urn:c> "1000000000000000000000000000000000000000"^^<${xsd}integer> <urn:g> .
DATA
java -cp "$path" tdb2.tdbloader --loc database data.nq > log 2>&1 || { cat log; exit 1; }
java -cp "$path" tdb2.tdbdump --loc database 2> log | sort > dumped.nq
java -cp "$path" riotcmd.riot --output nquads data.nq 2> log | sort > in-memory.nq
cat dumped.nq
cmp data.nq in-memory.nq
grep -q '<urn:a> "9223372036854775807"' dumped.nq
grep -q '<urn:b> "-9223372036854775808"' dumped.nq
grep -q '<urn:c> "6873995514006732800"' dumped.nq
