"""Cuts the operations that package ticket calls out of the published OpenAPI documents; see README.md."""
import json
import sys

WANTED = {
    "github.json": ("https://github.com/github/rest-api-description", [
        ("get", "/repos/{owner}/{repo}/issues"), ("post", "/repos/{owner}/{repo}/issues"),
        ("get", "/repos/{owner}/{repo}/issues/{issue_number}"), ("patch", "/repos/{owner}/{repo}/issues/{issue_number}"),
        ("get", "/repos/{owner}/{repo}/issues/{issue_number}/comments"), ("post", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
        ("post", "/repos/{owner}/{repo}/labels")]),
    "jira.json": ("https://developer.atlassian.com/cloud/jira/platform/swagger-v3.v3.json", [
        ("post", "/rest/api/3/search/jql"), ("post", "/rest/api/3/issue"), ("get", "/rest/api/3/issue/{issueIdOrKey}"),
        ("get", "/rest/api/3/issue/{issueIdOrKey}/comment"), ("post", "/rest/api/3/issue/{issueIdOrKey}/comment"),
        ("get", "/rest/api/3/issue/{issueIdOrKey}/transitions"), ("post", "/rest/api/3/issue/{issueIdOrKey}/transitions")]),
}
WORDS = {"description", "example", "examples", "externalDocs", "deprecated", "readOnly", "writeOnly", "xml", "title"}


def schema(node, named=False):
    """A schema of OpenAPI 3.0 as JSON Schema: null is a type, and words for people are left out."""
    if isinstance(node, list):
        return [schema(x) for x in node]
    if not isinstance(node, dict):
        return node
    out = {k: schema(v, k == "properties") for k, v in node.items()
           if named or k not in WORDS and not k.startswith("x-") and k not in ("nullable", "format", "discriminator", "default")}
    if not named and node.get("nullable"):
        out = {"anyOf": [out, {"type": "null"}]}
    return out


def refs(node):
    if isinstance(node, list):
        for x in node:
            yield from refs(x)
    elif isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for x in node.values():
            yield from refs(x)


def main(paths):
    for (name, (source, wanted)), path in zip(WANTED.items(), paths):
        with open(path, encoding="utf-8") as f:
            doc = json.load(f)

        def follow(node):
            while "$ref" in node:
                at = doc
                for part in node["$ref"][2:].split("/"):
                    at = at[part]
                node = at
            return node

        def body(node):
            return schema(follow(node or {}).get("content", {}).get("application/json", {}).get("schema"))

        operations = []
        for method, at in wanted:
            op = doc["paths"][at][method]
            parameters = [follow(p) for p in doc["paths"][at].get("parameters", []) + op.get("parameters", [])]
            operations.append({"method": method.upper(), "path": at,
                               "query": {p["name"]: schema(p.get("schema", {})) for p in parameters if p["in"] == "query"},
                               "body": body(op.get("requestBody")),
                               "answers": {code: body(a) for code, a in op["responses"].items()}})
        schemas, left = {}, set(refs(operations))
        while left:
            ref = left.pop()
            key = ref.rsplit("/", 1)[1]
            if key not in schemas:
                schemas[key] = schema(doc["components"]["schemas"][key])
                left |= set(refs(schemas[key]))
        with open(name, "w", encoding="utf-8") as f:
            json.dump({"source": source, "version": doc["info"]["version"], "operations": operations,
                       "components": {"schemas": schemas}}, f, indent=1, sort_keys=True)
            f.write("\n")


main(sys.argv[1:])
