// Which names the scripts of pages declare and use, by scope analysis: on standard input a list of
// bundles, each { files, sees } (paths; `sees` are files whose names it may use as well), on standard
// output { undeclared, repeated, unused }, each a list of [file, name].
import fs from 'node:fs';
import process from 'node:process';

import * as acorn from 'acorn';
import { analyze } from 'eslint-scope';
import globals from 'globals';

const KNOWN = new Set([...Object.keys(globals.browser), ...Object.keys(globals.es2025)]);
const cache = new Map();

// A script, or one function as an expression.
function parse(text) {
  const options = { ecmaVersion: 'latest', ranges: true, allowReturnOutsideFunction: true };
  try {
    return acorn.parse(text, options);
  } catch {
    return acorn.parse(`(${text}\n)`, options);
  }
}

// What a file declares at its top, uses there itself, and expects from elsewhere.
function namesOf(file) {
  if (!cache.has(file)) {
    const text = fs.readFileSync(file, 'utf8');
    const tree = parse(text);
    const { globalScope } = analyze(tree, { ecmaVersion: 2022, sourceType: 'script' });
    const declared = globalScope.variables.filter((one) => one.defs.length > 0);
    const functionName = tree.body.length === 1 && tree.body[0].type === 'FunctionDeclaration' ? tree.body[0].id.name : '';
    const expected = new Set(globalScope.through.map((one) => one.identifier.name).filter((name) => !globalScope.set.has(name)));
    // A name that only its own initializer or body mentions is not used.
    const isUse = (one, reference) => !reference.init && !one.defs.some(({ node }) => node.type === 'FunctionDeclaration'
      && node.range[0] <= reference.identifier.range[0] && reference.identifier.range[1] <= node.range[1]);
    const used = new Set(declared.filter((one) => one.references.some((reference) => isUse(one, reference))).map((one) => one.name));
    used.add(functionName); // a file of one function is an expression
    cache.set(file, { declared: declared.map((one) => one.name), expected, used });
  }
  return cache.get(file);
}

const bundles = JSON.parse(fs.readFileSync(0, 'utf8'));
const found = { undeclared: [], repeated: [], unused: [] };
const declaredBy = new Map();
const usedAnywhere = new Set();
for (const { files, sees } of bundles) {
  const own = new Map();
  for (const file of [...sees, ...files]) {
    for (const name of namesOf(file).declared) {
      if (own.has(name)) found.repeated.push([file, name]);
      own.set(name, file);
    }
  }
  for (const file of files) {
    const { declared, expected, used } = namesOf(file);
    for (const name of declared) declaredBy.set(`${file} ${name}`, [file, name]);
    for (const name of used) usedAnywhere.add(`${file} ${name}`);
    for (const name of expected) {
      if (own.has(name)) usedAnywhere.add(`${own.get(name)} ${name}`);
      else if (!KNOWN.has(name)) found.undeclared.push([file, name]);
    }
  }
}
found.unused = [...declaredBy].filter(([key]) => !usedAnywhere.has(key)).map(([, one]) => one);
process.stdout.write(JSON.stringify(found));
