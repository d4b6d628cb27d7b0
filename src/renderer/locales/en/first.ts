import areas from "./areas.json"
import chat from "./chat.json"
import common from "./common.json"
import conversations from "./conversations.json"
import desktop from "./desktop.json"
import format from "./format.json"
import frame from "./frame.json"
import notifications from "./notifications.json"
import passages from "./passages.json"
import tools from "./tools.json"

/** Strings for the first render, by feature. */
export const first = {
  areas,
  chat,
  common,
  conversations,
  desktop,
  format,
  frame,
  notifications,
  passages,
  tools,
}
