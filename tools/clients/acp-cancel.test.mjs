import assert from "node:assert/strict";
import { connect, reject } from "./support/acp.mjs";
import { directory, eventually, onRunners, sleeper } from "./support/host.mjs";

onRunners("a cancelled prompt ends its command", async (t, runner) => {
  const session = await connect(t, { runner, workspace: directory(t), answer: reject });
  const { command, runs } = sleeper();
  const prompt = session.prompt(`${command} & ${command}`);
  await eventually("the command sleeps", runs);
  await session.cancel();
  assert.deepEqual(await prompt, { stopReason: "cancelled" });
  await eventually("the command is gone", () => !runs());
  assert.deepEqual(await session.prompt("echo still here"), { stopReason: "end_turn" });
  assert.match(session.said(), /^still here$/m);
});

onRunners("nothing outlives an editor that disconnects", async (t, runner) => {
  const session = await connect(t, { runner, workspace: directory(t), answer: reject });
  const { command, runs } = sleeper();
  session.prompt(`${command} & ${command}`).catch(() => {});
  await eventually("the command sleeps", runs);
  session.disconnect();
  await session.gone();
  assert.equal(session.status(), 0);
  await eventually("no command is left", () => !runs());
});
