import iconv from "iconv-lite"
import { expect, test } from "vitest"
import { createRandom } from "../testing/parse-bytes.ts"
import { guessEncoding } from "./guess-encoding.ts"

/** Letters, notes and tables as people write them, with the encodings that their programs saved them in. */
const texts: readonly { encodings: string; text: string }[] = [
  {
    encodings: "windows-1252 iso-8859-15 cp850 cp437 macintosh",
    text: `Kunde;Anschrift;Betrag\nBäckerei Schröder;Königstraße 12, 70173 Stuttgart;148,50\nGebrüder Weiß;Am Mühlbach 3, 94032 Passau;2300,00
Sehr geehrter Herr Krüger,\nwir bestätigen Ihnen den Eingang der Unterlagen. Die Prüfung dauert voraussichtlich zwei Wochen; für Rückfragen erreichen Sie uns täglich außer sonntags.
Müllabfuhr fällt heute aus\nSchlüssel für den Keller hängt im Büro\nJörg hat die Äpfel schon geschält, die Nüsse fehlen noch.\nÜbergabe der Wohnung: Größe 82 qm, Küche mit Spüle, Tür zum Flur klemmt.`,
  },
  {
    encodings: "windows-1252 iso-8859-15 cp850 cp437 macintosh",
    text: `Le locataire a signalé une fuite dans la salle de bains le 12 février; le plombier est passé deux jours après et a changé le joint abîmé.
Désignation;Quantité;Prix\nCâble réseau;12;48,00\nÉcran 24 pouces;2;310,00\nPièces détachées;7;96,40
Hélène et François habitent rue des Frères-Lumière à Besançon, près de la gare.\nLa réunion prévue à neuf heures est reportée, le préfet étant empêché.
Ça dépend de la météo: s'il gèle, on reste à l'hôtel. Même le maître d'école a été fâché. La forêt brûlée sera replantée où c'est possible.`,
  },
  {
    encodings: "windows-1252 iso-8859-15 cp850 macintosh",
    text: `El señor Muñoz pidió una copia de la factura número 118, que según él nunca llegó.\nDirección: calle Peñón 4, 2º izquierda, Málaga
Artículo;Cantidad;Observación\nJamón ibérico;3;envío rápido\nTurrón de Alicante;12;está pendiente\nCafé molido;5;más caro que el año pasado
La reunión será el miércoles por la mañana. ¿Quién traerá los documentos? También faltan los recibos de enero y los de la última semana.\nNúñez confirmó que la habitación está libre.`,
  },
  {
    encodings: "windows-1252 iso-8859-15 cp850 macintosh",
    text: `A reunião começa às nove horas na sala do edifício São João; não é preciso levar cópias.\nMorada: Avenida da República 45, 1º direito, Évora
Descrição;Preço;Observações\nPão de centeio;2,40;entrega amanhã\nMaçã reineta;1,90;não há\nLimão;0,80;só aos sábados
O senhor Gonçalves já pagou as prestações de março. A inspeção dos elevadores ficou para depois das férias, porque o técnico está doente.`,
  },
  {
    encodings: "windows-1252 cp850 macintosh",
    text: `La riunione è stata spostata a lunedì perché il direttore sarà a Forlì; l'ordine del giorno resterà invariato.\nCittà;Quantità;Note\nCefalù;12;c'è già\nMondovì;4;non si può spedire
Il signor Calò abita più in là, in fondo alla via. Però la proprietà non è sua: l'eredità verrà divisa a metà fra i fratelli. Così ha deciso l'autorità.`,
  },
  {
    encodings: "windows-1252 cp850 macintosh",
    text: `Kære Søren, tak for brevet. Vi kommer på lørdag med færgen fra Århus og bliver til mandag.\nVare;Antal;Bemærkning\nRugbrød;3;frisk\nSmør;2;på tilbud\nÆblemost;6;fra gården
Nøglen ligger under krukken ved døren. Husk at lukke vinduerne, når I går, og sæt skraldespanden ud på vejen onsdag aften.`,
  },
  {
    encodings: "windows-1252 cp850 macintosh iso-8859-15",
    text: `Hej Åsa, mötet är flyttat till tisdag. Ta gärna med ritningarna över köket så går vi igenom dem.\nVara;Antal;Anmärkning\nKnäckebröd;4;från bageriet\nGräddfil;2;slut\nÖrtte;1;på väg
Grannarna på Östra Förstadsgatan har fått ny ytterdörr. Nästa år byter vi fönster också, om föreningen har råd.`,
  },
  {
    encodings: "windows-1252 cp850 iso-8859-15",
    text: `Hyvää päivää, lähetän ohessa tarjouksen keittiön remontista. Työt voidaan aloittaa syyskuussa.\nTuote;Määrä;Huomautus\nRuisleipä;5;tänään\nKaurapuuro;2;myöhässä\nPöytä;1;kärsinyt
Mäkelän perhe muutti Jyväskylästä Hämeenlinnaan. Äiti työskentelee edelleen sähköyhtiössä.`,
  },
  {
    encodings: "windows-1250 iso-8859-2 cp852 maccenteuro",
    text: `Vážený pane Dvořáku, děkujeme za Vaši objednávku. Zboží odešleme příští týden, nejpozději v pátek.\nOdběratel;Ulice;Město\nPekárna U Lípy;Hřbitovní 8;Kroměříž\nŘeznictví Šťastný;Náměstí Míru 3;Třebíč
Klíče od sklepa jsou u sousedky. Prosím zaplaťte účet za vodu a nezapomeňte zavřít okna, večer má přijít bouřka.\nŽeleznice mezi Děčínem a Ústím bude v létě opět zavřená.`,
  },
  {
    encodings: "windows-1250 iso-8859-2 cp852 maccenteuro",
    text: `Szanowna Pani, dziękujemy za przesłane dokumenty. Prosimy o uzupełnienie załącznika do środy.\nNazwa;Miejscowość;Uwagi\nPiekarnia Żytnia;Łódź;zapłacono\nKsięgarnia Słowo;Świdnica;czeka na odbiór\nUsługi ślusarskie;Gdańsk;źródło nieznane
Sąsiad prosi, żeby nie parkować przed bramą. Klucz leży u dozorcy, ulica Wyspiańskiego 14. Jutro będzie zimno, weź płaszcz i rękawiczki.`,
  },
  {
    encodings: "windows-1250 iso-8859-2 cp852",
    text: `Tisztelt Uram, köszönjük a megrendelését. Az árut jövő héten küldjük, legkésőbb pénteken.\nMegnevezés;Település;Megjegyzés\nPékség;Győr;fizetve\nHúsbolt;Székesfehérvár;később\nFűrészáru;Hódmezővásárhely;szállítás alatt
A szomszéd kérte, hogy ne álljunk a kapu elé. A kulcs a gondnoknál van, Petőfi utca 7. Holnap hűvös idő lesz, hozz esernyőt.`,
  },
  {
    encodings: "windows-1250 iso-8859-2",
    text: `Račun št. 118: plačilo zapade v petnajstih dneh. Prosimo, da znesek nakažete na račun podjetja.\nKupec;Kraj;Opomba\nPekarna Žito;Škofja Loka;plačano\nČevljarstvo;Črnomelj;še čaka
Ključ je pri hišniku. Soseda želi, da pred vrati ne puščamo koles. V četrtek pride električar.`,
  },
  {
    encodings: "windows-1251 koi8-r cp866 iso-8859-5 maccyrillic",
    text: `Уважаемый Пётр Сергеевич, направляем Вам счёт за ремонт крыши. Просим оплатить до конца месяца.\nТовар;Город;Примечание\nХлеб ржаной;Тверь;оплачено\nМолоко;Нижний Новгород;ждём поставку\nЧай;Екатеринбург;нет на складе
Ключи от подвала у соседки, улица Чехова, дом 15, квартира 8. Завтра обещают дождь, возьмите зонт.\nСОБРАНИЕ ЖИЛЬЦОВ ПЕРЕНЕСЕНО НА ЧЕТВЕРГ`,
  },
  {
    encodings: "windows-1251 koi8-u",
    text: `Шановний пане Олексію, надсилаємо рахунок за ремонт даху. Просимо сплатити до кінця місяця.\nТовар;Місто;Примітка\nХліб житній;Київ;сплачено\nМолоко;Чернівці;чекаємо\nЇжа для котів;Вінниця;є в наявності
Ключі від підвалу в сусідки, вулиця Лесі Українки, будинок 15. Завтра обіцяють дощ, візьміть парасольку.`,
  },
  {
    encodings: "windows-1251 iso-8859-5",
    text: `Уважаеми господине, изпращаме Ви фактура за ремонта на покрива. Моля, платете до края на месеца.\nСтока;Град;Бележка\nРъжен хляб;Пловдив;платено\nКисело мляко;Велико Търново;чакаме
Ключът от мазето е при съседката. Утре ще вали, вземете чадър.`,
  },
  {
    encodings: "windows-1253 iso-8859-7 cp737",
    text: `Αξιότιμε κύριε, σας στέλνουμε το τιμολόγιο για την επισκευή της στέγης. Παρακαλούμε πληρώστε ως το τέλος του μήνα.\nΕίδος;Πόλη;Σημείωση\nΨωμί;Θεσσαλονίκη;πληρώθηκε\nΓάλα;Ηράκλειο;περιμένουμε
Τα κλειδιά του υπογείου είναι στη γειτόνισσα, οδός Ερμού 15. Αύριο θα βρέξει, πάρτε ομπρέλα.`,
  },
  {
    encodings: "windows-1254 iso-8859-9 cp857",
    text: `Sayın Yılmaz, çatı onarımı için faturayı gönderiyoruz. Lütfen ay sonuna kadar ödeyiniz.\nÜrün;Şehir;Açıklama\nEkmek;İzmir;ödendi\nSüt;Eskişehir;bekleniyor\nÇay;Muğla;yarın gelecek
Bodrumun anahtarı komşuda, Gül Sokağı 15. Yarın yağmur yağacak, şemsiye alın. Toplantı perşembe gününe ertelendi.`,
  },
  {
    encodings: "windows-1255 iso-8859-8 cp862",
    text: `לכבוד מר לוי, אנו שולחים לך חשבון עבור תיקון הגג. נא לשלם עד סוף החודש.\nמוצר;עיר;הערה\nלחם;חיפה;שולם\nחלב;באר שבע;ממתין
המפתח של המרתף אצל השכנה, רחוב הרצל 15. מחר יירד גשם, קחו מטרייה.`,
  },
  {
    encodings: "windows-1256 iso-8859-6",
    text: `السيد المحترم، نرسل إليكم فاتورة إصلاح السقف. نرجو الدفع قبل نهاية الشهر.\nالصنف;المدينة;ملاحظة\nخبز;القاهرة;مدفوع\nحليب;الإسكندرية;ننتظر
مفتاح القبو عند الجارة في شارع النيل رقم 15. غدا تمطر السماء فخذوا المظلة.`,
  },
  {
    encodings: "windows-1257 iso-8859-13 cp775",
    text: `Gerbiamas pone Kazlauskai, siunčiame sąskaitą už stogo remontą. Prašome sumokėti iki mėnesio pabaigos.\nPrekė;Miestas;Pastaba\nRuginė duona;Šiauliai;apmokėta\nPienas;Panevėžys;laukiame
Rūsio raktas pas kaimynę, Žemaičių gatvė 15. Rytoj žadama lietų, pasiimkite skėtį.`,
  },
  {
    encodings: "windows-1257 iso-8859-13",
    text: `Cienījamais Bērziņa kungs, nosūtām rēķinu par jumta remontu. Lūdzam samaksāt līdz mēneša beigām.\nPrece;Pilsēta;Piezīme\nRupjmaize;Jēkabpils;samaksāts\nPiens;Rēzekne;gaidām
Pagraba atslēga ir pie kaimiņienes, Brīvības iela 15. Rīt solīja lietu, ņemiet lietussargu.`,
  },
  {
    encodings: "shift_jis euc-jp",
    text: `拝啓、屋根の修理の見積もりをお送りします。月末までにお支払いください。\n商品,数量,備考\nりんご,12,青森から\n味噌,3,在庫なし\nノート,40,明日届く予定
地下室の鍵は隣の家にあります。明日は雨が降るそうですから、傘を持って行ってください。\n氏名,住所\n佐藤花子,長野市南千歳1-8\n田中一郎,金沢市広坂2丁目`,
  },
  {
    encodings: "gb18030",
    text: `尊敬的王先生:我们寄上屋顶维修的发票,请在月底以前付款。\n商品,城市,备注\n面包,哈尔滨,已付\n牛奶,石家庄,等待送货\n花茶,昆明,没有库存
地下室的钥匙在邻居家,中山路十五号。明天有雨,请带雨伞。会议改到星期四上午九点。`,
  },
  {
    encodings: "big5",
    text: `親愛的林先生:我們寄上屋頂維修的發票,請在月底以前付款。\n商品,城市,備註\n麵包,高雄,已付\n牛奶,新竹,等待送貨\n烏龍茶,嘉義,沒有庫存
地下室的鑰匙在鄰居家,中山路十五號。明天會下雨,請帶雨傘。會議改到星期四上午九點。`,
  },
  {
    encodings: "euc-kr",
    text: `안녕하세요, 지붕 수리 견적서를 보내 드립니다. 월말까지 입금해 주시기 바랍니다.\n품목,도시,비고\n빵,춘천,결제 완료\n우유,전주,배송 대기\n녹차,보성,재고 없음
지하실 열쇠는 옆집에 있습니다. 내일은 비가 온다고 하니 우산을 가져오세요. 회의는 목요일로 미뤄졌습니다.`,
  },
]

const samplesOfEach = 5
const minLength = 40
const maxLength = 400

interface Sample {
  encoding: string
  text: string
  bytes: Buffer
}

/** Cuts samples that begin at a word, as many for each text and encoding. */
function createSamples(): Sample[] {
  const random = createRandom(7)
  const samples: Sample[] = []
  for (const { encodings, text } of texts) {
    const words = [...text.matchAll(/(?<=^|[\s,;。、])[^\s,;]/g)].map(({ index }) => index)
    for (const encoding of encodings.split(" ")) {
      for (let count = 0; count < samplesOfEach;) {
        const start = words[random(words.length)] ?? 0
        const part = text.slice(start, start + minLength + random(maxLength - minLength))
        const bytes = iconv.encode(part, encoding)
        const readable = iconv.decode(bytes, encoding) // Without the characters that the encoding doesn't have.
        if (part.length < minLength || !/[^\0-\x7f]/.test(readable)) continue
        samples.push({ encoding, text: readable, bytes })
        count++
      }
    }
  }
  return samples
}

// Catches city names, addresses and letters that turn into other letters because an old file doesn't name its encoding.
test("recognises at least 95 % of short texts in old encodings", () => {
  const samples = createSamples()
  const wrong = samples.filter(
    ({ bytes, text }) => iconv.decode(bytes, guessEncoding(bytes).encoding) !== text,
  )
  const list = wrong.map(({ encoding, bytes, text }) => {
    const guess = guessEncoding(bytes).encoding
    return `${encoding} as ${guess}: ${text} / ${iconv.decode(bytes, guess)}`
  })
  expect(samples.length).toBeGreaterThan(300)
  expect(1 - wrong.length / samples.length, list.join("\n")).toBeGreaterThanOrEqual(0.95)
})

// Catches prices on a menu read as Thai or with capitals at the end of words.
test.for([
  ["Data;Descrizione;Importo\n05/03/2024;Caffè;1.234,50\n06/03/2024;Tè;2,00\n"],
  ["BEGIN:VCARD\nFN:Niccolò Perù\nADR:;;Via Libertà 3;Forlì\nEND:VCARD\n"],
  ["SUMMARY:Perché no\nLOCATION:Università\n"],
] as const)("few Italian words in windows-1252: %s", ([text]) => {
  expect(
    iconv.decode(iconv.encode(text, "win1252"), guessEncoding(iconv.encode(text, "win1252")).encoding),
  ).toBe(text)
})
