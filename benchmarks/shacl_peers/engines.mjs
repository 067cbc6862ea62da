// shacl-engine and rdf-validate-shacl: the number of results of each case of a folder, or "error", a pair on each line.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , home, folder] = process.argv
const require = createRequire(join(home, 'package.json'))
const load = async (name) => import(pathToFileURL(require.resolve(name)))
const { Validator } = await load('shacl-engine')
const { validations } = await load('shacl-engine/sparql.js')
const Other = (await load('rdf-validate-shacl')).default
const env = (await load('@zazuko/env')).default
const { Parser } = await load('n3')

const read = (file) => env.dataset(new Parser({ factory: env }).parse(readFileSync(file, 'utf8')))
const counted = async (run) => {
  try {
    return (await run()).results.length
  } catch {
    return 'error'
  }
}
for (let at = 0; existsSync(join(folder, `${at}.data.ttl`)); at++) {
  const shapes = read(join(folder, `${at}.shapes.ttl`))
  const data = read(join(folder, `${at}.data.ttl`))
  const one = await counted(() => new Validator(shapes, { factory: env, validations }).validate({ dataset: data }))
  const two = await counted(() => new Other(shapes, { factory: env }).validate(data))
  console.log(`${one} ${two}`)
}
process.exit(0)
