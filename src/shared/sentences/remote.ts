/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const remote = {
  address_unknown: "{{server}} doesn't know this address or model.",
  answer_too_large: "{{server}}'s answer is too large.",
  broke_off: "The model server stopped in the middle of its answer. Send the message again.",
  busy: "{{server}} is busy. Try again in a moment.",
  failed: "{{server}} returned an error ({{status}}).",
  failed_answering: "The model server returned an error while answering. It says: {{words}}",
  key_refused: "{{server}} rejected the key. Change it in Settings › Model servers.",
  lists_nothing: "{{server}} doesn't list its models. Enter the names of those that you want to use.",
  no_answer: "{{server}} isn't answering.",
  no_model: "The model server lists no models. Check its address and that a model is loaded.",
  not_a_completion:
    "The model server returned something other than a model's answer. Check that it is running and that its address is right. The address usually ends in /v1.",
  out_of_quota:
    "The quota of your account at {{server}} is used up. Add credit there, or choose another model.",
  piece_too_large: "The model server sent too much data at once.",
  not_a_list: "This address doesn't list any models. Check it: it usually ends in /v1.",
  not_embeddings:
    "The model server returned something other than embeddings. Check that its model is an embedding model.",
  not_json: "{{server}} didn't answer in JSON as model servers do. Check its address.",
  redirects: "{{server}} redirects to another address. Enter that address instead.",
  request_refused: "{{server}} rejected this request.",
  says: "{{what}} It says: {{words}}",
  too_many_calls: "The model server asked for too many, or too long, tool calls.",
  unreachable: "{{server}} can't be reached. Check its address and that it is running.",
  vectors_changed:
    "The model server now has a different embedding model (its vectors have another length). Select the embedding model again to re-index.",
} as const
