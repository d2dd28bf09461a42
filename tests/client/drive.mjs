// Drives client.js for pytest: jobs come in as lines of JSON, and what each of them hears goes out as lines of JSON.
//
//   node drive.mjs client.js
//   {"job":1,"do":"send","base":"http://…","agent":"open","session":"s1","text":"Hi","id":"k","options":{…}}

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { agentSession, agentSessions } = await import(pathToFileURL(process.argv[2]).href);
const say = (job, what) => process.stdout.write(`${JSON.stringify({ job, ...what })}\n`);

async function run({ job, base, agent, session, options, ...what }) {
  try {
    const spoken = agentSession(agent, session, { ...options, base });
    if (what.do === "sessions") {
      const [cursor, limit] = what.arguments;
      say(job, { answer: await agentSessions(agent, { ...options, base, cursor, limit }) });
    } else if (what.do === "fork") {
      const [at, id] = what.arguments.map((value) => value ?? undefined);
      say(job, { answer: await spoken.fork({ at, id }) });
    } else if (what.arguments) {
      say(job, { answer: (await spoken[what.do](...what.arguments)) ?? null });
    } else {
      const { id, onBusy } = what;
      const events = what.do === "send" ? spoken.send(what.text, { id, onBusy }) : spoken.resume(what.from, what.more);
      for await (const event of events) {
        say(job, { event });
        // A reader that takes its time, as a tab in the background does.
        if (what.linger) await new Promise((resolve) => setTimeout(resolve, what.linger));
      }
    }
  } catch ({ type, message, status, ref, stack }) {
    say(job, { error: { type, message, status, ref, stack } });
  }
  say(job, { over: true });
}

for await (const line of createInterface({ input: process.stdin })) run(JSON.parse(line));
