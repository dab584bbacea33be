import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { choose, connect, onGenerations, wider } from "./support/mcp.mjs";
import { directory } from "./support/host.mjs";

onGenerations("the user allows one command, once", async (t, runner, generation) => {
  const workspace = directory(t);
  const session = await connect(t, generation, { runner, workspace, answer: choose("allow once") });
  const allowed = await session.bash("echo x > allowed", wider("workspace-write"));
  assert.deepEqual(allowed, { text: "(no output)\n", failed: false });
  assert.equal(existsSync(`${workspace}/allowed`), true);

  assert.equal(session.forms.length, 1);
  const [{ message, requestedSchema }] = session.forms;
  // All that some clients show at first.
  assert.deepEqual(message.split("\n").slice(0, 3), [
    "Allow workspace-write for this one command?", "", "    command:    echo x > allowed",
  ]);
  assert.match(message, /^ {4}mode asked: workspace-write/m);
  assert.match(message, /^ {4}mode now: {3}read-only/m);
  assert.match(message, /^ {4}asked by: {3}outsider 3\.4$/m);
  assert.match(message, /^ {4}\| echo x > allowed$/m);
  assert.match(message, /^ {4}\| The user asked for this file\.$/m);
  assert.deepEqual(requestedSchema.properties.decision.enum, ["reject", "allow once"]);

  const again = await session.bash("echo x > again");
  assert.match(again.text, /^\[sandbox: file access denied under read-only mode\]$/m);
  assert.equal(existsSync(`${workspace}/again`), false);
});

for (const [name, answer, says] of [
  ["rejects", choose("reject"), /the user rejected it/],
  ["sends an empty form", () => ({ action: "accept", content: {} }), /the user rejected it|missing properties/],
  ["declines", () => ({ action: "decline" }), /the user rejected it/],
  ["closes the form", () => ({ action: "cancel" }), /the user cancelled the question/],
  ["cannot be asked", undefined, /the client does not support elicitation/],
]) {
  onGenerations(`nothing runs when the user ${name}`, async (t, runner, generation) => {
    const workspace = directory(t);
    const session = await connect(t, generation, { runner, workspace, answer });
    const refused = await session.bash("echo x > refused", wider("danger-full-access"));
    assert.equal(refused.failed, true);
    assert.match(refused.text, says);
    assert.equal(existsSync(`${workspace}/refused`), false);
    assert.equal(session.forms.length, answer ? 1 : 0);
    assert.deepEqual(await session.bash("echo still here"), { text: "still here\n", failed: false });
  });
}
