import type { llama as english } from "../../../../shared/sentences/llama.ts"
import { translation } from "../../translation.ts"

export const llama = translation<typeof english>()({
  answered_otherwise: "Il programma che fa girare il modello ha risposto altro.",
  could_not_answer: "Il modello non è riuscito a rispondere.",
  could_not_be_started: "non è stato possibile avviarlo",
  ended_unexpectedly:
    "Il programma che fa girare il modello si è chiuso all’improvviso ({{how}}). Invia di nuovo il messaggio.",
  ended_while_loading:
    "Il programma che fa girare il modello si è chiuso durante il caricamento. Il modello può essere danneggiato o richiedere più memoria di quella libera.",
  entry_count: "numero delle voci",
  exit_code: "codice di uscita {{exitCode}}",
  file_cut_short: "Il file del modello è troncato: scaricalo di nuovo.",
  file_damaged: "Il file del modello è danneggiato ({{what}}): scaricalo di nuovo.",
  file_not_opened: "Il file del modello non si apre. Controlla che esista e si possa leggere.",
  format_or_functions:
    "Non si possono usare un formato di risposta e delle funzioni nella stessa richiesta: togli uno dei due.",
  function_not_given: "La funzione da chiamare non è tra quelle date.",
  gguf_version:
    "Il file del modello è di una versione del suo formato (GGUF) che non si può leggere: scegli la versione 2 o 3.",
  needs_memory:
    "Il modello richiede {{size}} di memoria e ne sono liberi {{free}}. Chiudi altri programmi o scegli un modello più piccolo.",
  not_gguf:
    "Il file non è un modello nel formato che Casella legge (GGUF): scegli un file che finisce in .gguf.",
  not_loaded:
    "Non è stato possibile caricare il modello. Può essere danneggiato, troppo grande o di un tipo che questa versione non conosce: scegline un altro.",
  not_started: "Non è stato possibile avviare il modello.",
  path_is_directory:
    "Il percorso del modello è una cartella, non un file. Indica il file al suo interno, che finisce in .gguf.",
  schema_endless:
    "Lo schema in {{parameter}} rimanda a sé stesso senza fine, e ogni proprietà viene sempre scritta: fallo finire con un elenco o con null.",
  schema_refused: "Lo schema in {{parameter}} {{fault}}.",
  schema_too_large:
    "Lo schema in {{parameter}} è troppo grande o troppo complesso per il motore del modello: abbassa i suoi limiti di lunghezza e di numero, o semplificalo.",
  schema_unchecked: "Lo schema in {{parameter}} ha {{what}}, che non si può garantire: toglilo.",
  template_refuses:
    "Il modello non può leggere questa conversazione. Il suo modello di chat dice: {{reason}}",
  tensor_count: "numero dei tensori",
  too_many_requests: "Il modello sta rispondendo a troppe richieste insieme. Riprova tra un momento.",
})
