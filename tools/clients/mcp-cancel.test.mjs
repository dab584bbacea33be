import assert from "node:assert/strict";
import { connect, onGenerations } from "./support/mcp.mjs";
import { directory, eventually, sleeper } from "./support/host.mjs";

onGenerations("a cancelled call ends its command", async (t, runner, generation) => {
  const session = await connect(t, generation, { runner, workspace: directory(t) });
  const { command, runs } = sleeper();
  const abort = new AbortController();
  const call = session.bash(`${command} & ${command}`, {}, { signal: abort.signal });
  const ended = assert.rejects(call);
  await eventually("the command sleeps", runs);
  abort.abort("the user pressed escape");
  await ended;
  await eventually("the command is gone", () => !runs());
  assert.deepEqual(await session.bash("echo still here"), { text: "still here\n", failed: false });
});

onGenerations("a call that runs says so", async (t, runner, generation) => {
  const session = await connect(t, generation, { runner, workspace: directory(t), mode: "workspace-write" });
  const told = [];
  const call = session.bash("echo a line; until [ -e go ]; do sleep .05; done; echo done", {}, {
    onprogress: (progress) => void told.push(progress),
    resetTimeoutOnProgress: true,
  });
  await eventually("progress", () => told.length > 0);
  assert.match(told[0].message, /: a line$/);
  await session.bash("touch go");
  assert.deepEqual(await call, { text: "a line\ndone\n", failed: false });
});

onGenerations("nothing outlives a client that disconnects", async (t, runner, generation) => {
  const session = await connect(t, generation, { runner, workspace: directory(t) });
  const front = sleeper();
  const back = sleeper();
  await session.bash(`${back.command} & ${back.command}`, { run_in_background: true });
  const ended = assert.rejects(session.bash(front.command));
  await eventually("both commands sleep", () => front.runs() && back.runs());
  await session.client.close();
  await ended;
  await session.gone();
  await eventually("no command is left", () => !front.runs() && !back.runs());
});
