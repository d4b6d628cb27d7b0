/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const chat = {
  assistant_gone: "The assistant @{{handle}} no longer exists.",
  being_answered: "This chat is still being answered. Wait until the answer is finished, or stop it.",
  being_changed: "This chat is being changed. Try again in a moment.",
  call_answered: "This was already decided.",
  call_expired: "This waited too long for a decision, so it was denied. Ask again.",
  does_not_stop: "The model doesn't stop. Try again, or restart Casella.",
  file_too_large: "The file is larger than {{count, number}} MB.",
  goes_on_already: "The answer is already being continued.",
  interrupted: "Casella stopped while this answer was being written.",
  last_not_users: "The last message must be the user's new message.",
  message_empty: "The new message is empty.",
  no_assistant_among: "There is no assistant {{handle}}. Available: {{all}}.",
  no_call_waits: "No tool call in this chat waits for approval under this id.",
  no_file: "This chat has no such file.",
  no_model_nor_folders: "No model is installed. Add one, or choose folders to get quotes from.",
  no_such_model: "Model not found. Leave out modelId to use the selected chat model.",
  no_model_to_go_on: "No installed model can continue this answer. Add one.",
  nothing_written: "No answer is being written in this chat. Load the chat to see its messages.",
  other_assistant: "@{{handle}} is now a different assistant, so the task was cancelled.",
  own_attachments_only: "Only files in the chat's own folder can be attached.",
  stopping: "Casella is stopping. Ask again when it is running.",
  stays_here:
    "This chat has read a folder that stays on this computer, so {{model}}, which runs on a server, can't read it. Choose a model on this computer.",
  tools_need_full_rights:
    "This API key has limited rights, so it can't use connected accounts and MCP servers. Remove them from builtInTools.",
  too_long: "This chat has become too long. Start a new one.",
  too_many_answers:
    "{{count, number}} answers are already being written. Wait for one to finish, or stop one.",
  too_many_chats: "You already have 100,000 chats, which is the maximum. Delete some first.",
} as const
