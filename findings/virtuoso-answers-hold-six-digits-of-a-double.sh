#!/bin/sh
# Virtuoso 7.2.5 (Debian 12): a double comes back with six digits as N-Triples, RDF/XML and in results of SELECT in JSON,
# XML, CSV and TSV, although it is stored in full: 123456.5 is "123456.0". In Turtle all digits are there, but without
# the datatype: 123456.5 is written as 123456.5, which is a decimal in Turtle (section 2.5.2). And an integer beyond
# 32 bits is of type xsd:decimal in N-Triples and in results, and an integer in Turtle.
# A good guess is wrong: N-Triples is the syntax to take for exact terms, because it has one form for each. Here it is the
# one that loses the value, and no single answer has the value and its type.
# It hurts who compares, copies or exports a graph by N-Triples, and all whose scores differ in the seventh digit: equal
# texts for different doubles. Turtle for values, with DATATYPE() in a query for types, is exact.
set -eu
folder=$(mktemp -d); cd "$folder"
trap 'kill "$server" 2> /dev/null || true; wait; rm -rf "$folder"' EXIT
apt-get download -qq virtuoso-opensource-7-bin=7.2.5.1+dfsg1-0.3 libpcre3 libwbxml2-1 libminizip1 2> /dev/null
for package in *.deb; do dpkg -x "$package" .; done
free() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
http=$(free)
cat > virtuoso.ini <<INI
[Database]
DatabaseFile = virtuoso.db
ErrorLogFile = virtuoso.log
LockFile = virtuoso.lck
TransactionFile = virtuoso.trx
xa_persistent_file = virtuoso.pxa
[TempDatabase]
DatabaseFile = temporary.db
TransactionFile = temporary.trx
[Parameters]
ServerPort = 127.0.0.1:$(free)
[HTTPServer]
ServerPort = 127.0.0.1:$http
ServerRoot = .
INI
libraries=$(find "$PWD" -name '*.so*' -exec dirname {} + | sort -u | paste -sd :)
LD_LIBRARY_PATH=$libraries usr/bin/virtuoso-t +foreground +configfile virtuoso.ini > /dev/null 2>&1 &
server=$!
url=http://127.0.0.1:$http
until curl --silent --noproxy '*' --output nothing "$url/sparql"; do sleep 0.2; done
xsd=http://www.w3.org/2001/XMLSchema#
cat > data.nt <<DATA
<urn:s> <urn:d> "123456.5"^^<${xsd}double> .
<urn:s> <urn:i> "1795839218123"^^<${xsd}integer> .
DATA
graph="$url/sparql-graph-crud-auth?graph-uri=urn:g"
ask() { curl --silent --noproxy '*' --digest --user dba:dba "$@"; }
ask -X PUT -H 'Content-Type: application/n-triples' --data-binary @data.nt "$graph" > nothing
ask -H 'Accept: application/n-triples' "$graph" | tr '\t' ' ' | sort > as.nt
ask -H 'Accept: text/turtle' "$graph" | tr '\t' ' ' > as.ttl
curl --silent --noproxy '*' -H 'Accept: text/csv' --data-urlencode 'query=SELECT ?o (STR(?o) AS ?t) { GRAPH <urn:g> { ?s <urn:d> ?o } }' "$url/sparql" > as.csv
cat as.nt as.ttl as.csv
grep -qF "<urn:d> \"123456.0\"^^<${xsd}double>" as.nt
grep -qF "<urn:i> \"1795839218123\"^^<${xsd}decimal>" as.nt
grep -qE 'd 123456\.5 ' as.ttl
grep -qE 'i 1795839218123 ' as.ttl
grep -qF '123456.0,"123456.5"' as.csv
