import type { llama as english } from "../../../../shared/sentences/llama.ts"
import { translation } from "../../translation.ts"

export const llama = translation<typeof english>()({
  answered_otherwise: "Il processo del modello ha dato una risposta imprevista. Riprova.",
  could_not_answer: "Il modello non è riuscito a rispondere.",
  could_not_be_started: "non è stato possibile avviarlo",
  ended_unexpectedly:
    "Il processo del modello si è chiuso all’improvviso ({{how}}). Invia di nuovo il messaggio.",
  ended_while_loading:
    "Il processo del modello si è chiuso durante il caricamento. Il modello potrebbe essere danneggiato, o richiedere più memoria di quella libera.",
  entry_count: "numero delle voci",
  exit_code: "codice di uscita {{exitCode}}",
  file_cut_short: "Il file del modello è incompleto. Scaricalo di nuovo.",
  file_damaged: "Il file del modello è danneggiato ({{what}}). Scaricalo di nuovo.",
  file_not_opened: "Il file del modello non si apre. Controlla che esista e che Casella possa leggerlo.",
  format_or_functions:
    "Un formato di risposta e degli strumenti non si possono usare nella stessa richiesta. Togli uno dei due.",
  function_not_given: "Lo strumento da chiamare non è tra quelli indicati.",
  gguf_version:
    "Questa versione del formato GGUF non è supportata. Scegli un file di modello della versione 2 o 3.",
  needs_more_memory:
    "Il modello richiede {{size, number}} GB di memoria, ma ne sono liberi solo {{free, number}} GB. Chiudi altri programmi, o scegli un modello più piccolo.",
  not_gguf: "Questo file non è un modello in formato GGUF. Scegli un file che termina in .gguf.",
  not_loaded:
    "Non è stato possibile caricare il modello. Potrebbe essere danneggiato, troppo grande o non supportato da questa versione. Scegline un altro.",
  not_started: "Non è stato possibile avviare il modello.",
  path_is_directory: "Questo percorso è una cartella. Inserisci il percorso del file .gguf al suo interno.",
  schema_endless:
    "Lo schema in {{parameter}} rimanda a sé stesso senza fine, e ogni proprietà viene sempre scritta. Fallo finire con un elenco o con null.",
  schema_refused: "Lo schema in {{parameter}} {{fault}}.",
  schema_too_large:
    "Lo schema in {{parameter}} è troppo grande o troppo complesso per il motore del modello. Abbassa i suoi limiti di lunghezza e di numero, o semplificalo.",
  schema_unchecked: "Lo schema in {{parameter}} ha {{what}}, che non si può garantire. Toglilo.",
  template_refuses: "Il modello non può leggere questa chat. Il suo modello di chat dice: {{reason}}",
  tensor_count: "numero dei tensori",
  too_many_requests: "Il modello sta rispondendo a troppe richieste insieme. Riprova tra un momento.",
})
