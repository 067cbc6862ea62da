// Reads N-Quads into an N3 store, and writes what Comunica constructs from each graph. Arguments: N-Quads in, N-Quads out.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.join(process.env.CHECKPOINT_LD_COMUNICA, 'package.json'));
const N3 = require('n3');
const { QueryEngine } = require('@comunica/query-sparql-rdfjs');

const [source, target] = process.argv.slice(2);
const store = new N3.Store(new N3.Parser({ format: 'N-Quads' }).parse(fs.readFileSync(source, 'utf8')));
const engine = new QueryEngine();
const writer = new N3.Writer({ format: 'N-Quads' });
for (const graph of store.getGraphs()) {
  const query = `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph.value}> { ?s ?p ?o } }`;
  for await (const quad of await engine.queryQuads(query, { sources: [store] })) {
    writer.addQuad(quad.subject, quad.predicate, quad.object, graph);
  }
}
writer.end((error, text) => fs.writeFileSync(target, text));
