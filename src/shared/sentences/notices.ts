/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const notices = {
  accounts_left_out: "The assistant's linked accounts were left out: the API key has limited rights.",
  attachment_in_part:
    "{{name}} is too long for the model to be given at once: it has the beginning, the outline and what fits the question. Ask for a summary to have all of it read.",
  attachment_unread: "{{name}} wasn't read. {{what}}",
  call_refused: "Nobody could be asked whether these tools may be used, so they weren't: {{tools}}.",
  content_filter: "The answer ends here: the filter of the model's server has cut it.",
  context_full: "The answer ends here: the results of its tools fill all that the model can hold.",
  embedding_elsewhere:
    "Searched by keywords only: this stays on this computer, and the search model runs on a server.",
  embedding_unavailable:
    "Searched by keywords only: the search model, which finds passages by meaning, did not answer.",
  empty_answer: "The model ended without an answer. Ask again, in other words or another model.",
  file_being_read: "{{name}} was still being read when this was answered: what it says may be missing here.",
  files_being_read:
    "{{count, number}} files were still being read when this was answered: what they say may be missing here.",
  folders_left_out: "The assistant's folders were left out: the API key doesn't have the scope folders.",
  index_rebuilding: "The search index is being built; some passages can't be found yet.",
  filter_matches_no_file: "No file in the chosen folders matches the filter.",
  message_left_out: "The oldest message was left out: the conversation is longer than the model can hold.",
  messages_left_out:
    "The {{count}} oldest messages were left out: the conversation is longer than the model can hold.",
  model_loading: "{{model}} is being loaded into memory.",
  model_missing: "The model that was chosen for this isn't there any more, so {{model}} answers.",
  model_unavailable: "{{what}} Until then, these are the passages that fit best.",
  no_vision:
    "{{model}} sees no pictures, so it was given the text that was recognised in them. Choose a model that sees to have it look at them.",
  no_embedding_model:
    "Searched by keywords only: to find passages by meaning as well, get a search model under Settings, Models.",
  no_model:
    "No model is installed, so these are the passages that fit best. Add a model under Settings, Models.",
  no_passages: "Nothing in the chosen folders fits this message.",
  nothing_in_filter: "Nothing fits this in the files that match the filter: {{count, number}}.",
  notes_by_file:
    "These are the notes on each file as they are: {{model}} didn't make one answer of them. Ask about fewer files, or choose another model.",
  notes_by_file_refused:
    "These are the notes on each file as they are: no answer could be made of them. {{what}}",
  passages_left_out:
    "The message leaves no room for passages from the folders in what the model can hold. Shorten it.",
  pictures_left_out:
    "{{count}} pictures were left out: a model is shown the {{most}} newest of a conversation.",
  not_read_whole:
    "Reading everything needs a model that may be sent it. These are the passages that fit best, not all there is.",
  reading_whole: "Everything that is asked about is read for this: {{characters, number}} characters.",
  reranker_late: "Only some passages were put in a better order: the sorting model took too long.",
  reranker_unavailable: "Passages keep the order of the search: the sorting model did not answer.",
  stays_here:
    "This stays on this computer, so {{model}}, which runs on a server, wasn't asked. These are the passages that fit best; choose a model on this computer to have it answer.",
  stays_here_now:
    "The answer ends here: what it has read stays on this computer now, so {{model}}, which runs on a server, isn't sent any more of it. Choose a model on this computer to go on.",
  table_cut:
    "The table ends here: {{count, number}} more rows would be too much for one answer. Ask about fewer files to have them all.",
  too_much_for_whole:
    "This is answered from the passages that fit best, not from all there is: that would be {{characters, number}} characters or more. Ask about fewer files to have them read whole.",
  tool_limit:
    "The answer ends here: it has used as many tool calls, or as much time for them, as one answer may.",
  tools_left_out: "The tool {{name}} was left out: the model can't be given its description.",
} as const
