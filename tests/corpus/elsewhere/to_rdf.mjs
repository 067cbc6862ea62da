// Turns JSON-LD into N-Quads by jsonld.js. The arguments are files; each result stands beside its file, with .nq added.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.join(process.env.CHECKPOINT_LD_COMUNICA, 'package.json'));
const jsonld = require('jsonld');

for (const file of process.argv.slice(2)) {
  const document = JSON.parse(fs.readFileSync(file, 'utf8'));
  const options = { format: 'application/n-quads', base: 'https://checkpoint-ld.invalid/id/', documentLoader: null };
  fs.writeFileSync(`${file}.nq`, await jsonld.toRDF(document, options));
}
