// A model that says what a test wrote, behind an endpoint as OpenAI's.

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { json } from "node:stream/consumers";
import { directory } from "./host.mjs";

// scripted starts a model that answers each request with the next turn: a text,
// or the arguments of a tool by the tool's name. It returns the requests and the
// path of a configuration file for dsh acp.
export async function scripted(t, turns) {
  const requests = [];
  const server = createServer(async (request, response) => {
    requests.push(await json(request));
    const turn = turns[requests.length - 1] ?? "There is nothing left to do.";
    response.setHeader("content-type", "text/event-stream");
    for (const choice of choices(turn)) {
      response.write(`data: ${JSON.stringify({ object: "chat.completion.chunk", choices: [{ index: 0, ...choice }] })}\n\n`);
    }
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const config = `${directory(t)}/dsh.yaml`;
  writeFileSync(config, `- id: agent
  name: tools
  config:
    endpoint: http://127.0.0.1:${server.address().port}/v1
    model: scripted
`, { mode: 0o600 });
  return { requests, config };
}

function choices(turn) {
  if (typeof turn === "string") {
    return [{ delta: { content: turn } }, { delta: {}, finish_reason: "stop" }];
  }
  const tool_calls = Object.entries(turn).map(([name, args], index) => ({
    index, id: `id-${name}`, type: "function", function: { name, arguments: JSON.stringify(args) },
  }));
  return [{ delta: { tool_calls } }, { delta: {}, finish_reason: "tool_calls" }];
}

// results are what the tools returned to the model, as the last request has them.
export const results = (requests) =>
  requests.at(-1).messages.filter((message) => message.role === "tool").map((message) => message.content);
