// Answers queries by Comunica over N3 stores. The argument is a file with three paths for each: N-Quads, query, result.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.join(process.env.CHECKPOINT_LD_COMUNICA, 'package.json'));
const N3 = require('n3');
const { QueryEngine } = require('@comunica/query-sparql-rdfjs');

const engine = new QueryEngine();
const stores = new Map();
const given = fs.readFileSync(process.argv[2], 'utf8').split('\n').filter((line) => line);
for (let at = 0; at < given.length; at += 3) {
  const [data, query, result] = given.slice(at, at + 3);
  if (!stores.has(data)) {
    const parser = new N3.Parser({ format: 'N-Quads' });
    stores.set(data, new N3.Store(parser.parse(fs.readFileSync(data, 'utf8'))));
  }
  const found = await engine.query(fs.readFileSync(query, 'utf8'), { sources: [stores.get(data)] });
  const written = await engine.resultToString(found, 'application/sparql-results+json');
  let text = '';
  for await (const part of written.data) text += part;
  fs.writeFileSync(result, text);
}
