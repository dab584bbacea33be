// A reporter of node's test runner that speaks as `go test -json` does, so that
// check reads these tests as it reads its own. A package is a test file, whose
// name begins the names of its tests.

import { basename } from "node:path";

const nameOf = (file) => basename(file, ".test.mjs");

// isFile tells the entry that node makes of a whole file from a test.
const isFile = (data) => data.name.endsWith(".test.mjs");

function identity(data) {
  if (isFile(data)) return { Package: nameOf(data.name), Test: "" };
  const [file, ...rest] = data.name.split(": ");
  return { Package: file, Test: rest.join(": ") };
}

// reason says why a test failed, with the place where it did.
function reason(error) {
  const cause = error.cause ?? error;
  return `${error.failureType ?? ""} ${cause.stack ?? cause}\n`.trimStart();
}

export default async function* report(events) {
  const printed = new Map(); // by file: what no failed test was shown with yet
  const line = (event) => JSON.stringify(event) + "\n";
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") {
      const file = nameOf(data.file);
      printed.set(file, (printed.get(file) ?? "") + data.message);
    }
    if (type !== "test:pass" && type !== "test:fail") continue;

    const ended = identity(data);
    if (type === "test:pass") {
      if (isFile(data)) continue; // a file without tests passes
      if (data.skip !== undefined) yield line({ ...ended, Action: "output", Output: `${data.skip}\n` });
      yield line({ ...ended, Action: data.skip === undefined ? "pass" : "skip" });
      continue;
    }
    const said = printed.get(ended.Package) ?? "";
    printed.delete(ended.Package);
    yield line({ ...ended, Action: "output", Output: said + reason(data.details.error) });
    yield line({ ...ended, Action: "fail" });
  }
}
