// Reads what Cloudflare publishes about the operations in use out of its own client, which is generated from the API's
// OpenAPI document, and prints names, types, enumerations and paging as JSON. Usage: node facts.mjs < operations
import fs from "node:fs";
import path from "node:path";
import ts from "typescript";

const root = path.resolve("node_modules/cloudflare");
const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
const wanted = new Set(fs.readFileSync(0, "utf8").trim().split("\n"));

const program = ts.createProgram([path.join(root, "src/index.ts")], {
  strict: true, skipLibCheck: true, noEmit: true, target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, types: [],
});
const checker = program.getTypeChecker();

// anonymous is a path without the names of its parameters.
const anonymous = (p) => p.split("?")[0].replace(/\{[^}]*\}/g, "{}");
const literalOrParameter = (p) => p.split("/").map((s) => (s === "{}" ? "[^/]+" : s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))).join("/");

const F = ts.TypeFlags;

// shape writes a type as JSON: the name of a primitive, enumerated texts joined by |, [items], or {member: shape}, where ? ends
// the name of a member that may be missing and * stands for any name.
function shape(type, at, above = []) {
  type = checker.getNonNullableType(type);
  if (type.flags & (F.Any | F.Unknown | F.Never | F.Void | F.Null | F.Undefined)) return "any";
  if (above.length > 12 || above.includes(type)) return "any";
  if (type.flags & F.StringLiteral) return `'${type.value}'`;
  if (type.flags & F.StringLike) return "string";
  if (type.flags & F.NumberLiteral) return String(type.value);
  if (type.flags & F.NumberLike) return "number";
  if (type.flags & F.BooleanLike) return "boolean";
  if (type.symbol?.name === "Response") return "file";
  const next = [...above, type];
  if (type.isUnion()) return type.types.map((t) => shape(t, at, next)).reduce(merge, null);
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    return [checker.getTypeArguments(type).map((t) => shape(t, at, next)).reduce(merge, null) ?? "any"];
  }
  const out = {};
  for (const member of checker.getPropertiesOfType(type)) {
    if (member.flags & ts.SymbolFlags.Method || /^[_#]/.test(member.name)) continue;
    const optional = member.flags & ts.SymbolFlags.Optional;
    const of = checker.getTypeOfSymbolAtLocation(member, at);
    out[member.name + (optional ? "?" : "")] = shape(of, at, next);
  }
  const index = checker.getIndexInfosOfType(type)[0];
  if (index) out["*"] = shape(index.type, at, next);
  return Object.keys(out).length ? out : "any";
}

// merge joins the shapes of a union. Members that only some objects have may be missing. What mixes texts, lists and objects is
// {"|": [each of them once]}.
function merge(a, b) {
  if (a === null || a === "any") return b;
  if (b === "any") return a;
  const all = [a, b].flatMap((s) => s["|"] ?? [s]);
  const texts = all.filter((s) => typeof s === "string"), lists = all.filter(Array.isArray);
  const objects = all.filter((s) => typeof s !== "string" && !Array.isArray(s));
  const out = [];
  const words = [...new Set(texts.flatMap((s) => s.split("|")))].sort();
  if (words.includes("string")) out.push(words.filter((w) => !w.startsWith("'")).join("|"));
  else if (words.length) out.push(words.join("|"));
  if (lists.length) out.push([lists.map((s) => s[0]).reduce(merge)]);
  if (objects.length) out.push(objects.reduce(mergeObjects));
  return out.length === 1 ? out[0] : { "|": out };
}

function mergeObjects(a, b) {
  const out = {};
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)].map((n) => n.replace(/\?$/, "")))) {
    const shapes = [a, b].map((s) => s[name] ?? s[name + "?"]).filter((s) => s !== undefined);
    out[name === "*" || (name in a && name in b) ? name : name + "?"] = shapes.reduce(merge);
  }
  return out;
}

// split tells which parameters a method sends in the query and which in the body.
function split(method, call) {
  const declared = method.parameters.filter((p) => p.name.getText() !== "options");
  const params = {}, names = [];
  for (const p of declared) {
    if (/^(params|query|body)$/.test(p.name.getText()) || ts.isObjectBindingPattern(p.name)) {
      const s = shape(checker.getTypeAtLocation(p), p);
      if (typeof s === "object" && !Array.isArray(s)) Object.assign(params, s);
    }
  }
  const inPath = new Set([...call.arguments[0].getText().matchAll(/\$\{(\w+)!?\}/g)].map((m) => m[1]));
  const options = call.arguments.at(-1);
  const sent = ts.isObjectLiteralExpression(options) ? options.properties.map((p) => p.name?.getText()) : [];
  const query = ts.isObjectLiteralExpression(options) &&
    options.properties.find((p) => p.name?.getText() === "query" && ts.isPropertyAssignment(p) && ts.isObjectLiteralExpression(p.initializer));
  if (query) names.push(...query.initializer.properties.map((p) => p.name.getText()));
  const out = { query: {}, body: {} };
  for (const [name, s] of Object.entries(params)) {
    const bare = name.replace(/\?$/, "");
    if (inPath.has(bare) || bare === "account_id" || bare === "zone_id") continue;
    const toBody = names.length ? !names.includes(bare) : sent.includes("body") && !(sent.includes("query") && !query);
    out[toBody ? "body" : "query"][name] = s;
  }
  return out;
}

// resultOf is the type of the result member, of one item for a list the client pages.
function resultOf(method, page) {
  const type = checker.getReturnTypeOfSignature(checker.getSignatureFromDeclaration(method));
  const args = type.aliasTypeArguments ?? checker.getTypeArguments(type);
  const t = page ? args[1] : args[0];
  return t ? shape(t, method) : "any";
}

const operations = {};
const published = new Map();
for (const file of program.getSourceFiles()) {
  if (!file.fileName.startsWith(path.join(root, "src/resources"))) continue;
  const visit = (node, method) => {
    if (ts.isMethodDeclaration(node)) method = node;
    if (method && ts.isCallExpression(node) && /^this\._client\.(get|post|put|patch|delete|getAPIList)$/.test(node.expression.getText())) {
      const verb = node.expression.name.getText();
      const template = node.arguments[0].getText().replace(/^path/, "").replace(/\$\{[^}]*\}/g, "{}").slice(1, -1);
      const http = /method: '(\w+)'/.exec(node.arguments.at(-1).getText())?.[1].toUpperCase();
      const key = `${http ?? (verb === "getAPIList" ? "get" : verb).toUpperCase()} ${template}`;
      if (!published.has(key)) published.set(key, { method, call: node, page: verb === "getAPIList" && /^\w+/.exec(node.arguments[1].getText())[0] });
    }
    ts.forEachChild(node, (child) => visit(child, method));
  };
  visit(file);
}

for (const operation of [...wanted].sort()) {
  // Some paths name what a parameter of the published one stands for, such as one setting of a zone; what stands below
  // zones and accounts alike is published once.
  const asked = anonymous(operation);
  const key = published.has(asked) ? asked : [...published.keys()].find((k) => new RegExp(`^${literalOrParameter(k)}$`).test(asked));
  if (!key || operations[key]) continue;
  const found = published.get(key);
  const one = {};
  if (found.page) one.paging = found.page;
  const { query, body } = split(found.method, found.call);
  if (Object.keys(query).length) one.query = query;
  if (Object.keys(body).length) one.body = body;
  if (key.startsWith("GET ")) {
    const result = resultOf(found.method, found.page);
    one.result = found.page && found.page !== "V4PagePagination" ? [result] : result; // that one holds its items in the result
  }
  if (ts.getJSDocDeprecatedTag(found.method)) one.deprecated = true;
  operations[key] = one;
}
process.stdout.write(JSON.stringify({ package: `cloudflare ${version}`, operations }, null, 1) + "\n");
