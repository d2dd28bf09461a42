// A thread that ends its process when the server is gone, or when the process holds too much memory, whatever the main thread does.

import process from "node:process";
import { workerData } from "node:worker_threads";

/** @type {{ server: number, resident: number }} */
const { server, resident } = workerData;

/** How often it looks, in milliseconds. The server looks as well, where it can, and knows then what it was. */
const EVERY = 250;

setInterval(() => {
  const isOrphan = process.platform !== "win32" && process.ppid !== server;
  if (isOrphan || process.memoryUsage.rss() > resident) process.kill(process.pid, "SIGKILL");
}, EVERY);
