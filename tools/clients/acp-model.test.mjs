import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { allowOnce, connect, reject } from "./support/acp.mjs";
import { directory, eventually, onRunners, sleeper } from "./support/host.mjs";
import { results, scripted } from "./support/model.mjs";

const description = "A test";

onRunners("a model starts a task, reads it and kills it", async (t, runner) => {
  const { command, runs } = sleeper();
  const { requests, config } = await scripted(t, [
    { bash: { command: `echo begun; ${command}`, description, run_in_background: true } },
    "It runs.",
    { task_list: {} }, { task_output: { task_id: "1" } }, { task_kill: { task_id: "1" } },
    "It is gone.",
  ]);
  const session = await connect(t, { runner, workspace: directory(t), args: ["--config", config], answer: reject });
  assert.deepEqual(await session.prompt("Begin."), { stopReason: "end_turn" });
  assert.match(session.said(), /It runs\./);
  await eventually("the command sleeps", runs);
  assert.deepEqual(await session.prompt("Stop."), { stopReason: "end_turn" });
  assert.match(session.said(), /It is gone\./);
  const [started, list, output, kill] = results(requests);
  assert.deepEqual([started, list, output], ["started background task 1\n", "1: A test (running)\n", "begun\n[running]\n"]);
  assert.match(kill, /^terminating background task 1\n/); // and perhaps that it has ended
  await eventually("the command is gone", () => !runs());
});

for (const [name, answer, runs] of [["allows", allowOnce, true], ["rejects", reject, false]]) {
  onRunners(`a model asks, and the user ${name}`, async (t, runner) => {
    const workspace = directory(t);
    const call = { command: "echo x > here", description };
    const { requests, config } = await scripted(t, [
      { bash: call },
      { bash: { ...call, sandbox_permissions: "workspace-write", justification: "The user asked for it." } },
    ]);
    const session = await connect(t, { runner, workspace, args: ["--config", config], answer });
    assert.deepEqual(await session.prompt("Write."), { stopReason: "end_turn" });
    assert.equal(session.asked.length, 1);
    assert.match(session.asked[0].toolCall.content[0].content.text, /\| The user asked for it\./);
    const [denied, asked] = results(requests);
    assert.match(denied, /^\[sandbox: file access denied under read-only mode\]$/m);
    assert.match(asked, runs ? /^\(no output\)$/m : /the user rejected it/);
    assert.equal(existsSync(`${workspace}/here`), runs);
  });
}

onRunners("a cancelled prompt ends the model's command", async (t, runner) => {
  const { command, runs } = sleeper();
  const { requests, config } = await scripted(t, [{ bash: { command, description } }]);
  const session = await connect(t, { runner, workspace: directory(t), args: ["--config", config], answer: reject });
  const prompt = session.prompt("Sleep.");
  await eventually("the command sleeps", runs);
  await session.cancel();
  assert.deepEqual(await prompt, { stopReason: "cancelled" });
  await eventually("the command is gone", () => !runs());
  assert.deepEqual(await session.prompt("Go on."), { stopReason: "end_turn" });
  assert.equal(requests.length, 2);
});
