/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const approvals = {
  address_after_private: "Something private was read, and you didn't name this address: {{address}}",
  address_in_order:
    "Something private was read, so addresses that you named are opened once, in their order: {{address}}",
  address_of_nobody: "Neither you nor what was found named this address: {{address}}",
  before_any_tool: "This assistant asks before it uses any tool.",
  changes_something: "It changes something that stays changed.",
  file: 'the file "{{name}}"',
  instructions_of: 'the instructions of "{{name}}"',
  imported_message: "an imported message",
  quoted: "what started the automation",
  message_of_others: "a message that Casella didn't write",
  page: "the page {{address}}",
  remembered: "what is remembered of you",
  result_of: "a result of {{tool}}",
  says_more: "It says more than you said, and something private was read.",
  word_from: '"{{word}}" comes from {{origin}}. This would send it out of here.',
  word_not_said:
    'You didn\'t say "{{word}}", and something private was read. This would send it out of here.',
  word_too_often: '"{{word}}" comes far more often than you said it, and something private was read.',
  word_written_otherwise: '"{{word}}" isn\'t written as you wrote it, and something private was read.',
} as const
