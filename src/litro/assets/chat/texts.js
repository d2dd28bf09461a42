// @ts-check
/** The element's own words, in English. `texts` of the element replaces those that it has. */

export const ENGLISH = {
  conversation: "Conversation",
  you: "You",
  agent: "Agent",
  message: "Message",
  placeholder: "Write a message",
  hint: "Enter sends, Shift+Enter starts a new line.",
  send: "Send",
  stop: "Stop",
  stopping: "Stopping…",
  working: "Working…",
  opening: "Opening the chat…",
  newChat: "New chat",
  sessions: "Chats",
  empty: "What can I do for you?",
  toEnd: "Go to the newest message",
  older: "Older messages are loaded…",
  copy: "Copy",
  copied: "Copied",
  copyAnswer: "Copy the answer",
  edit: "Edit the message",
  editing: "Your message, edited",
  sendAnew: "Send",
  cancel: "Cancel",
  editNote: "The chat goes on from here in a new one. The one that you see is kept.",
  forked: "This chat goes on from an edited message. The earlier one is kept.",
  openEarlier: "Open the earlier chat",
  dismiss: "Dismiss",
  askAgain: "Ask again",
  stopped: "Stopped.",
  interrupted: "The server went away in the middle of the answer.",
  failed: "The answer failed.",
  reference: "Reference",
  thinking: "Thinking…",
  thought: (/** @type {string} */ time) => `Thought for ${time}`,
  thoughtBriefly: "Thought for a moment",
  input: "Input",
  output: "Output",
  error: "Error",
  noInput: "None",
  calls: {
    waits: "waits",
    runs: "is running",
    done: "is done",
    failed: "failed",
    stopped: "was stopped",
  },
  progress: (/** @type {number} */ done, /** @type {number | null} */ total) =>
    total === null ? `${done}` : `${done} of ${total}`,
  showAll: (/** @type {string} */ size) => `Show all of it (${size})`,
  sending: "Sending…",
  unsent: "Not sent.",
  sendAgain: "Send again",
  discard: "Discard",
  queued: "Waits for the answer before it",
  steers: "Joins the answer at its next step",
  withdraw: "Withdraw",
  tryAgain: "Try again",
  retrying: "The connection broke. Trying again…",
  offline: "You are offline. What you see stays; the chat goes on when you are back.",
  gone: "This chat is not there any more. It was deleted, or it belongs to somebody else.",
  startNew: "Start a new chat",
  notStopped: (/** @type {string} */ why) => `The answer could not be stopped: ${why}`,
  notWithdrawn: "That message has already started.",
  notForked: (/** @type {string} */ why) => `The message could not be edited: ${why}`,
  code: "Code.",
  codeBlock: "Code",
  codeIn: (/** @type {string} */ language) => `Code: ${language}`,
  copyCode: "Copy the code",
  table: "Table",
  taskDone: "Done",
  taskOpen: "Not done",
  picture: "Picture",
  searchChats: "Search chats",
  searching: "Searching…",
  foundChats: (/** @type {number} */ count) => (count === 0 ? "No chat has that in its name." : count === 1 ? "1 chat" : `${count} chats`),
  noChats: "There are no chats yet.",
  closeChats: "Close the list",
  untitled: "Untitled chat",
  answering: "is being answered",
  rename: "Rename",
  chatName: "Name of the chat",
  save: "Save",
  delete: "Delete",
  deleteSure: (/** @type {string} */ title) => `Delete “${title}” for good?`,
  notListed: (/** @type {string} */ why) => `The chats could not be listed: ${why}`,
  notRenamed: (/** @type {string} */ why) => `It could not be renamed: ${why}`,
  notDeleted: (/** @type {string} */ why) => `It could not be deleted: ${why}`,
  seconds: (/** @type {string} */ number) => `${number} s`,
  minutes: (/** @type {number} */ minutes, /** @type {number} */ seconds) => `${minutes} min ${seconds} s`,
};

/** @typedef {typeof ENGLISH} Texts */

/**
 * Milliseconds in words: 0.1 s at least, 3 s, 2 min 5 s.
 * @param {number} ms
 * @param {Texts} texts
 */
export function duration(ms, texts) {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return texts.seconds(String(Math.max(1, Math.round(seconds * 10)) / 10));
  if (seconds < 60) return texts.seconds(String(Math.round(seconds)));
  const whole = Math.round(seconds);
  return texts.minutes(Math.floor(whole / 60), whole % 60);
}
