/** English sentences by code; `sentence.ts` describes how values are inserted. */
export const approvals = {
  address_after_private: "This chat has read private content, and you didn't give this address: {{address}}",
  address_in_order:
    "This chat has read private content, so each address you gave is opened only once, in order: {{address}}",
  address_of_nobody: "This address came from neither you nor the search results: {{address}}",
  before_any_tool: "This assistant asks before it uses any tool.",
  changes_something: "It makes a lasting change.",
  file: 'the file "{{name}}"',
  instructions_of: 'the instructions of "{{name}}"',
  imported_message: "an imported message",
  quoted: "what started the automation",
  message_of_others: "a message that Casella didn't write",
  page: "the page {{address}}",
  remembered: "a saved fact about you",
  result_of: "a result of {{tool}}",
  says_more: "The request contains text you didn't write, and this chat has read private content.",
  word_from: '"{{word}}" comes from {{origin}}. This would send it to another computer.',
  word_not_said:
    'You didn\'t write "{{word}}", and this chat has read private content. This would send it to another computer.',
  word_too_often:
    '"{{word}}" occurs far more often than you wrote it, and this chat has read private content.',
  word_written_otherwise:
    '"{{word}}" is spelled differently from what you wrote, and this chat has read private content.',
} as const
