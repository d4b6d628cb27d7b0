/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const notices = {
  accounts_left_out:
    "The assistant's connected accounts weren't used, because the API key has limited rights.",
  attachment_in_part:
    "{{name}} is too long to give to the model as a whole. The model has its beginning, its outline and the passages that match the question. Ask for a summary to have all of it read.",
  attachment_unread: "{{name}} wasn't read. {{what}}",
  call_refused: "No one could be asked for approval, so these tools weren't used: {{tools}}.",
  content_filter: "The answer ends here: it was stopped by the model provider's content filter.",
  context_full: "The answer ends here: the results of its tools fill the model's context window.",
  embedding_elsewhere:
    "Searched by keywords only: this content stays on this computer, and the embedding model runs on a server.",
  embedding_unavailable: "Searched by keywords only, because the embedding model didn't answer.",
  empty_answer: "The model returned no answer. Rephrase the question, or try another model.",
  file_being_read: "{{name}} was still being read, so this answer may not cover it.",
  files_being_read: "{{count, number}} files were still being read, so this answer may not cover them.",
  folders_left_out:
    "The assistant's folders weren't used, because the API key doesn't have the scope folders.",
  index_rebuilding: "The search index is being built, so some passages can't be found yet.",
  filter_matches_no_file: "No file in the selected folders matches the filter.",
  message_left_out:
    "The oldest message was left out, because the chat is longer than the model's context window.",
  messages_left_out:
    "The {{count, number}} oldest messages were left out, because the chat is longer than the model's context window.",
  model_loading: "{{model}} is being loaded into memory.",
  model_missing: "The selected model is no longer available, so {{model}} answers.",
  model_unavailable: "{{what}} Until then, here are the passages that match best.",
  no_vision:
    "{{model}} doesn't support images, so it received the text recognised in them. To have the images themselves used, choose a model that supports images.",
  no_embedding_model:
    "Searched by keywords only. To find passages by meaning as well, get an embedding model in Settings › Get more models.",
  no_model:
    "No model is installed, so these are the passages that match best. Get a model in Settings › Get more models.",
  no_passages: "Nothing in the selected folders matches this message.",
  nothing_in_filter: "Nothing in the files that match the filter ({{count, number}}) fits this message.",
  notes_by_file:
    "These are the extracts from each file, because {{model}} didn't combine them into one answer. Ask about fewer files, or choose another model.",
  notes_by_file_refused:
    "These are the extracts from each file, because they couldn't be combined into one answer. {{what}}",
  passages_left_out:
    "The message leaves no space for passages from the folders in the model's context window. Shorten it.",
  pictures_left_out:
    "{{count, number}} images were left out, because a model is sent only the {{most, number}} newest images of a chat.",
  not_read_whole:
    "Reading whole documents needs a model that is allowed to see this content. These are only the passages that match best.",
  reading_whole: "Reading whole documents for this answer: {{characters, number}} characters.",
  reranker_late: "The reranking model took too long, so only some passages were put in order of relevance.",
  reranker_unavailable: "The reranking model didn't answer, so passages keep their search order.",
  stays_here:
    "This content stays on this computer, so {{model}}, which runs on a server, wasn't asked. These are the passages that match best. Choose a model on this computer to get an answer.",
  stays_here_now:
    "The answer ends here: content that it has read now stays on this computer, so {{model}}, which runs on a server, receives no more of it. Choose a model on this computer to continue.",
  table_cut:
    "The table ends here. {{count, number}} more rows would be too much for one answer. Ask about fewer files to get all rows.",
  too_much_for_whole:
    "This answer uses only the passages that match best, because the documents have {{characters, number}} characters or more. Ask about fewer files to have them read completely.",
  tool_limit:
    "The answer ends here: it reached the limit of tool calls, or of time for them, for one answer.",
  tools_left_out: "The tool {{name}} was left out, because its description can't be given to the model.",
} as const
