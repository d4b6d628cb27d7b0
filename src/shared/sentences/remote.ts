/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const remote = {
  address_unknown: "{{server}} doesn't know this address or model.",
  answer_too_large: "{{server}}'s answer is too large.",
  broke_off: "The model server broke off in the middle of its answer. Send the message again.",
  busy: "{{server}} has too much to do. Try again in a moment.",
  failed: "{{server}} failed ({{status}}).",
  failed_answering: "The model server failed while answering. It says: {{words}}",
  key_refused: "{{server}} refuses the key. Change the key under Settings, Models.",
  lists_nothing: "{{server}} doesn't list its models. Name those that you want to use.",
  no_answer: "{{server}} does not answer.",
  no_model: "The model server lists no model. Check its address and that a model is loaded.",
  not_a_completion:
    "What the model server sent is no answer of a model. Check its address, which mostly ends in /v1, and that it is running.",
  out_of_quota:
    "The quota of your account at {{server}} is used up. Add credit there, or choose another model.",
  piece_too_large: "The model server sent more in one piece than is read of an answer.",
  not_a_list: "What stands at this address lists no models. Check the address: it mostly ends in /v1.",
  not_embeddings: "What the model server sent isn't an answer of a search model (embeddings).",
  not_json: "{{server}} doesn't answer as a model server does (in JSON); check its address.",
  redirects: "{{server}} can't be reached there: it sends on elsewhere.",
  request_refused: "{{server}} can't work with this request.",
  says: "{{what}} It says: {{words}}",
  too_many_calls: "The model server asks for too many or too long function calls.",
  unreachable: "{{server}} can't be reached. Check its address and that it is running.",
  vectors_changed:
    "The model server's search model isn't the one from before (its vectors have another length). Was it exchanged?",
} as const
