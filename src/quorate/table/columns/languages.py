"""Words of names and outcomes in other languages, and what they are in English.

Left out is what means another thing in English, as ``note`` does, and what two languages use for two things, as
``voto``. One more language is one more entry.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

_OF: Mapping[str, str] = {
    "de": """
        kanal channel; abteilung department; assistent assistant; platz rang place; prüfer prüferin pruefer examiner;
        gutachter gutachterin begutachter reviewer; richter richterin judge;
        bewerter bewerterin beurteiler beurteilerin einschätzer rater; experte expertin expert; kohärenz coherence;
        relevanz relevance; nützlichkeit usefulness; lesbarkeit readability; hilfsbereitschaft helpfulness;
        qualität quality; verfahren method; anbieter provider; befunder reader; messzeitpunkt zeitpunkt occasion;
        nutzername benutzername username; aktenzeichen case_id;
        radiologe radiologin radiologist; klarheit clarity; richtigkeit correctness;
        vollständigkeit vollstaendigkeit completeness; ton tone; genauigkeit accuracy; freundlichkeit politeness;
        korrektor korrekteur lektor lektorat marker; lehrer lehrerin teacher; arzt ärztin physician;
        redakteur redakteurin editor; krankenpfleger pfleger pflegekraft nurse; anzeige ad;
        korrektheit correctness;
        annotator annotator; codierer kodierer coder; punkte punktzahl punktwert punktestand points;
        anzahl num; hörer hörerin zuhörer listener;
        bewertung einstufung einschätzung rating; schulnote schulnoten school_mark; urteil entscheidung verdict;
        befund diagnose diagnosis; richtig korrekt correct; bestanden passed; aufsatz essay; aufgabe task;
        frage question; antwort response; satz sentence; dokument document; bild image;
        schüler schülerin schueler pupil; teilnehmer proband participant; kandidat candidate; modell model;
        variante variant; datum date; zeit time; dauer duration; sprache language; kategorie category; thema topic;
        gewinner sieger winner; besser better;
        unentschieden tie; kunde customer; produkt product; übersetzung translation;
        beispiel example; kriterium criterion; nummer number; präferenz bevorzugt preferred; erste first;
        zweite second; promptvariante prompt_variant; verständlichkeit clarity; matrikelnummer student_id;
        klausur exam; erstkorrektur marker_1; zweitkorrektur marker_2; erstgutachten reviewer_1;
        zweitgutachten reviewer_2; gleich tie; kommentar bemerkung anmerkung remarks; zeitstempel timestamp;
        bewertet rated; adresse address; dein deine ihr ihre your; durchschnitt mittelwert mittel mean;
        summe gesamt total;
        geschlecht gender; neu neue neuer neues new; alt alte altes old;
        flüssigkeit sprachfluss fluency; befragter befragte respondent; reiz stimulus;
        stil style; kürze prägnanz conciseness; grammatik grammar;
        kreativität creativity; originalität originality; struktur aufbau structure; inhalt content;
        sicherheit safety; natürlichkeit naturalness; höflichkeit politeness; konsistenz consistency;
        zufriedenheit satisfaction; vertrauen trust; nachricht message; zusammenfassung summary;
        aufnahme recording; fassung version; stadt city; alter age; rangfolge rank""",
    "fr": """
        canal channel; service department;
        rang place; juge judge; évaluateur évaluatrice evaluator; correcteur correctrice marker;
        annotateur annotatrice annotator; relecteur relectrice reviewer; examinateur examinatrice examiner;
        dégustateur taster; lecteur lectrice reader; exercice exercise; radiologue radiologist;
        infirmier infirmière nurse; classe class;
        traducteur traductrice translator; qualité quality; utilité usefulness; cohérence coherence;
        lisibilité readability; fluidité fluency; clarté clarity; exactitude accuracy; pertinence relevance;
        complétude completeness; médecin physician; enseignant enseignante teacher; jugement verdict;
        réponse response; texte text; copie essay; élève pupil; étudiant étudiante student; modèle model;
        système system; traduction translation; tâche task; exemple example; gagnant vainqueur winner; égalité tie;
        gauche left; droite right; durée duration; année year; âge age; sexe gender; langue language;
        catégorie category; critère criterion; produit product; numéro number; préféré preferred;
        premier première first; deuxième seconde second; juré jurée juror;
        intervieweur intervieweuse interviewer; candidat candidate candidate;
        horodateur timestamp; nom_d_utilisateur username; adresse address; votre your; nom name;
        commentaire remarque remarks; moyenne mean; réussi passed; juste correct; nouveau nouvelle new;
        ancien ancienne old; actuel actuelle current;
        votant votante voter; répondant répondante sondé sondée respondent;
        participante participant; concision conciseness;
        grammaire grammar; créativité creativity; originalité originality; sécurité safety; naturalité naturalness;
        politesse politeness; cohésion coherence; confiance trust; énoncé sentence; auditeur auditrice listener;
        enregistrement recording; résumé summary; méthode method; moteur engine; étiquette label;
        meilleur meilleure better; ville city; somme total; justesse correctness; patiente patient""",
    "es": """
        canal channel; departamento department;
        asistente assistant; código id; puesto place; juez jueza judge; evaluador evaluadora evaluator;
        anotador anotadora annotator; revisor revisora reviewer; calificador calificadora grader; examinador examiner;
        experto experta expert; radiólogo radiologist; calidad quality; utilidad usefulness; coherencia coherence;
        claridad clarity; exactitud accuracy; fluidez fluency; relevancia relevance; ejercicio exercise;
        problema problem; médico physician; catador catadora taster; vino wine; profesor profesora teacher;
        puntuación puntaje puntos calificación score; nota mark; grupo group;
        valoración rating; etiqueta label; pregunta question;
        respuesta response; redacción ensayo essay; texto text; alumno alumna pupil; estudiante student;
        paciente patient; imagen image; documento document; modelo model; sistema system; traducción translation;
        tarea task; oración frase sentence; ejemplo example; ganador winner; empate tie; izquierda left; anuncio ad;
        corrección correctness; ánimo encouragement;
        enfermero enfermera nurse;
        derecha right; fecha date; tiempo time; duración duration; idioma language; edad age; categoría category;
        criterio criterion; producto product; correcto correct; aprobado passed; promedio mean; media mean;
        oyente listener; voz voice; actual current; nuevo new; viejo old; dirección address; correo mail; tu su your;
        patólogo patóloga pathologist; lectura reading; caso case; grado grade;
        nombre name; número number; preferido preferida preferencia preferred; primero primera first;
        segundo segunda second; cliente customer; comentario notas observación remarks; añada year;
        sexo gender; encuestado encuestada respondent; acierto acertó correct;
        estímulo stimulus; estilo style; gramática grammar;
        creatividad creativity; originalidad originality; estructura structure; contenido content;
        seguridad safety; naturalidad naturalness; cortesía politeness; consistencia consistency;
        satisfacción satisfaction; confianza trust; mensaje message; resumen summary; grabación recording;
        método method; marca_temporal timestamp;
        nombre_de_usuario username; mejor better; ciudad city; adecuación adequacy; empatía empathy;
        médica physician""",
    "it": """
        canale channel; reparto ward;
        assistente assistant; posto place; revisore reviewer; giudice judge; qualità quality; chiarezza clarity;
        utilità usefulness; pertinenza relevance; coerenza coherence; accuratezza accuracy; completezza completeness;
        valutatore valutatrice evaluator; annotatore annotatrice annotator; correttore marker; esaminatore examiner;
        esperto esperta expert; medico physician; docente insegnante teacher; punteggio punti score;
        valutazione rating; etichetta label; domanda question; risposta response; testo text;
        studente studentessa student; alunno alunna pupil; infermiere infermiera nurse;
        paziente patient; immagine image; modello model;
        traduzione translation; compito task; esempio example; vincitore winner; pareggio tie; sinistra left;
        destra right; durata duration; lingua language; prodotto product; corretto correct; superato passed;
        numero number; sistema system; articolo article; esercizio exercise; preferito preferita preferred;
        indirizzo address; tuo suo your; primo prima first; secondo seconda second; pari tie; media mean;
        attuale current; nuovo new; vecchio old; valutatori evaluator;
        nome_utente username; commento osservazioni remarks;
        fedeltà faithfulness; fluenza fluency; assaggiatore assaggiatrice taster; campione sample;
        complessivo complessiva overall;
        rispondente intervistato respondent; stimolo stimulus; stile style; concisione conciseness;
        grammatica grammar; creatività creativity; originalità originality; struttura structure; contenuto content;
        sicurezza safety; naturalezza naturalness; soddisfazione satisfaction; fiducia trust; messaggio message;
        riassunto summary; registrazione recording; motore engine; migliore better; città city; età age;
        somma totale total; ascoltatore listener; adeguatezza adequacy; versione version; rilevanza relevance""",
    "pt": """
        assistente assistant; vencedor winner; juiz juíza judge; qualidade quality; clareza clarity;
        utilidade usefulness; relevância relevance; coerência coherence; fluência fluency; completude completeness;
        modelo model; texto text; frase sentence; empate tie; revisor revisora reviewer; endereço address;
        enfermeiro enfermeira nurse; doente paciente patient; corretor corretora marker; médico médica physician;
        professora teacher; estudante student; documento document; inscrição matrícula id; veredito verdict; anúncio ad;
        seu sua your; carimbo timestamp; nome_de_usuário username; nome name; comentário remarks; notícia article;
        avaliador avaliadora evaluator; anotador annotator; especialista expert; pontuação pontos score;
        avaliação rating; rótulo label; pergunta question; resposta response; redação essay; aluno aluna pupil;
        imagem image; tradução translation; tarefa task; exemplo example; esquerda left; direita right;
        duração duration; idade age; produto product; correto correct; aprovado passed; sistema system;
        primeiro first; novo new; antigo antiga old; atual current;
        respondente respondent; acertou acerto correct; concisão conciseness; criatividade creativity;
        originalidade originality;
        estrutura structure; conteúdo content; segurança safety; naturalidade naturalness; polidez politeness;
        satisfação satisfaction; confiança trust; mensagem message; resumo summary; gravação recording;
        versão version; melhor better; cidade city; ouvinte listener; adequação adequacy; observações remarks;
        precisão exatidão accuracy; ajuda helpfulness""",
    "nl": """
        systeem system; zoekmachine engine; zoekvraag query; reactietijd latency;
        plaats place; gesprek conversation; samenvatting summary;
        model model; assistent assistant; versie version; beoordelaar rater;
        kwaliteit quality; duidelijkheid clarity; nauwkeurigheid accuracy; examinator examiner; leraar teacher;
        lezer reader; cijfer score; beoordeling waardering rating; punten points; oordeel verdict; vraag question;
        antwoord response; tekst text; opstel essay; leerling pupil; zin sentence; patiënt patient;
        verpleegkundige nurse;
        afbeelding beeld image; vertaling translation; taak task; voorbeeld example; winnaar winner;
        gelijkspel gelijk tie; duur duration; leeftijd age; emailadres email_address; naam name; uw jouw your;
        tijdstempel timestamp; taal language; inhoud content; opbouw structure; totaal total; categorie category;
        onderwerp topic; juist correct; geslaagd passed; opmerking remarks; voorkeur preferred; eerste first;
        tweede second; bericht message; nummer number; gemiddelde mean; nieuw nieuwe new; oud oude old;
        huidig huidige current;
        prikkel stimulus; stijl style; beknoptheid conciseness; creativiteit creativity; originaliteit originality;
        structuur structure; veiligheid safety; natuurlijkheid naturalness; beleefdheid politeness;
        samenhang coherence; tevredenheid satisfaction; vertrouwen trust; opname recording; beter better;
        stad city; volledigheid completeness; juistheid correctness; relevantie relevance; vloeiendheid fluency;
        luisteraar listener; docent teacher; stembiljet ballot; geslacht gender;
        proefpersoon deelnemer participant; bruikbaarheid usefulness""",
    "pl": """
        miejsce place; system system; asystent assistant; średnia mean; suma razem total; nowy nowa new;
        stary stara old; wersja version; uwagi remarks; sędzia judge; jakość quality; jasność clarity;
        poprawność correctness; zadanie task; przykład example; model model; tekst text; ekspert expert;
        egzaminator examiner; punkty points; oceniający rater; recenzent reviewer; ocena rating; wynik score;
        pytanie zapytanie question; odpowiedź response; treść text;
        zdanie sentence; uczeń pupil; tłumaczenie translation; zwycięzca winner;
        remis tie; endnote final_grade;
        lp number; płynność fluency; adekwatność adequacy; użyteczność usefulness; spójność coherence; lepszy better;
        zrozumiałość clarity; komentarz remarks; kryterium criterion; nauczyciel teacher; lekarz physician;
        pacjent patient; streszczenie podsumowanie summary; anotator annotator; temat topic; język language;
        bodziec stimulus; styl style; zwięzłość conciseness; kompletność completeness; gramatyka grammar;
        kreatywność creativity; oryginalność originality; struktura structure; zawartość content;
        bezpieczeństwo safety; naturalność naturalness; uprzejmość politeness; zgodność consistency;
        zadowolenie satisfaction; zaufanie trust; wiadomość message; nagranie recording; metoda method;
        miasto city; wiek age; płeć gender; trafność relevance; dokładność accuracy; uczestnik participant;
        słuchacz listener; etykieta label; kategoria category; pewność confidence;
        adnotator adnotatorka annotator; obraz image; kandydat candidate; czas time""",
    "sv": """
        granskare reviewer; kvalitet quality; tydlighet clarity; bedömare rater; domare judge; läkare physician;
        lärare teacher; ärende case; fråga question; svar response; mening sentence; elev pupil; bild image;
        poäng score; betyg grade; bedömning rating; godkänd passed; rätt correct; assistent assistant; modell model;
        vinnare winner; oavgjort lika tie; namn name; ditt your; tidsstämpel timestamp; översättning translation;
        uppgift task; datum date; språk language; kommentar remarks; medbedömare rater; sambedömt agreed;
        genomsnitt medelvärde mean; summa total; elevkod pupil_id;
        korthet conciseness; kreativitet creativity; innehåll content; säkerhet safety; naturlighet naturalness;
        artighet politeness; nöjdhet satisfaction; meddelande message; sammanfattning summary;
        inspelning recording; metod method; bättre better; ålder age; kön gender; fullständighet completeness;
        korrekthet correctness; relevans relevance; noggrannhet accuracy; sammanhang coherence;
        deltagare participant; lyssnare listener; etikett label; uppsats essay; nyttighet användbarhet usefulness""",
    "da": """
        bedømmer rater; dommer judge; spørgsmål question; vurdering rating; karakter grade; vinder winner;
        uafgjort tie; oversættelse translation; opgave task; læge physician; elev pupil; setning sætning sentence;
        korthed conciseness; indhold content; sikkerhed safety; naturlighed naturalness; høflighed politeness;
        tilfredshed satisfaction; besked message; optagelse recording; metode method; bedre better; køn gender;
        fuldstændighed completeness; korrekthed correctness; klarhed clarity; nøjagtighed accuracy;
        sammenhæng coherence; deltager participant; lytter listener; gennemsnit mean; bemærkning remarks""",
    "ru": """
        вопрос вопроса question; ответ ответа response; эксперт expert; оценщик rater; асессор assessor; судья judge;
        разметчик annotator; модель model; вариант variant; система system; версия version; оценка rating;
        балл баллы score; верный верно правильный правильно correct; текст text; задание task; пример example;
        перевод translation; победитель winner; ничья tie; полнота completeness; точность accuracy; ясность clarity;
        полезность usefulness; беглость fluency; качество quality; комментарий примечание remarks; номер number;
        дата date; бот бота bot; среднее mean; итого total; предложение sentence; документ document; метка label;
        ученик pupil; пациент patient; новый новая новое new; старый старая старое old;
        аннотатор annotator; рецензент reviewer; преподаватель учитель teacher; врач physician; эссе essay;
        запрос query; лучше better; тема topic; язык language; токсичность toxicity; диалог conversation;
        респондент respondent; стимул stimulus; стиль style; краткость лаконичность conciseness;
        грамматика грамотность grammar; креативность creativity; структура structure; содержание content;
        безопасность safety; естественность naturalness; вежливость politeness; связность coherence;
        релевантность relevance; удовлетворённость satisfaction; доверие trust; сообщение message; резюме summary;
        запись recording; метод method; возраст age; пол gender; корректность правильность correctness;
        участник participant; слушатель listener; категория category; изображение image; место rank; время time;
        город city; левый левая левое слева left; правый правая правое справа right""",
    "cs": """
        otázka question; odpověď response; hodnotitel rater; porotce juror; lektor marker; recenzent reviewer;
        překladač translator; překlad translation; úloha task; žák pupil; známka grade; hodnocení rating; body points;
        plynulost fluency; přesnost accuracy; srozumitelnost clarity; úplnost completeness; kvalita quality;
        text text; věta sentence; čas time; datum date; poznámka remarks; vítěz winner; remíza tie; celkem total;
        průměr mean; anotátor anotátorka annotator; soudce judge; pacient patient; obrázek image;
        stručnost conciseness; gramatika grammar; kreativita creativity; obsah content; bezpečnost safety;
        přirozenost naturalness; zdvořilost politeness; konzistence consistency; spokojenost satisfaction;
        důvěra trust; zpráva message; souhrn shrnutí summary; nahrávka recording; lepší better; věk age;
        správnost correctness; jasnost clarity; užitečnost usefulness; účastník participant; učitel teacher;
        lékař physician; verze version; štítek label; číslo number; pořadí rank; jazyk language""",
    "tr": """
        puan puanı puanları score; soru question; cevap yanıt response; değerlendirici değerlendiren rater; hakem judge;
        kalite kalitesi quality; doğruluk accuracy; akıcılık fluency; açıklık clarity; yararlılık usefulness;
        doğru correct; sürüm version; kazanan winner; berabere beraberlik tie; ortalama mean; toplam total;
        yorum açıklama remarks; tarih date; sıra number; öğrenci pupil; öğretmen teacher; çeviri translation;
        cümle sentence; metin text; görev task; örnek example; yeni new; eski old; kategori category; uzman expert;
        etiket label; belge document;
        katılımcı participant; üslup style; özlülük conciseness; dilbilgisi grammar; yaratıcılık creativity;
        yapı structure; içerik content; güvenlik safety; doğallık naturalness; nezaket politeness;
        tutarlılık consistency; memnuniyet satisfaction; güven trust; mesaj message; özet summary; kayıt recording;
        yöntem method; yaş age; cinsiyet gender; eksiksizlik tamlık completeness; alaka ilgililik relevance;
        anlaşılırlık clarity; doktor hekim physician; hasta patient; sistem system; numara number; şehir city""",
    "uk": """
        питання запитання question; відповідь response; оцінка rating; оцінювач rater; експерт expert; суддя judge;
        бал бали score; переклад translation; речення sentence; переможець кращий краще winner; нічия однаково tie;
        якість quality; точність accuracy; повнота completeness; завдання task; приклад example; учень pupil;
        вчитель вчителька teacher; коментар примітка remarks; середнє mean; разом усього total; версія version;
        новий нова нове new; старий стара старе old; модель model; мітка label; плавність fluency;
        правильно правильний correct;
        стислість conciseness; граматика grammar; зміст content; безпека safety; природність naturalness;
        ввічливість politeness; релевантність relevance; повідомлення message; вік age; правильність correctness;
        учасник participant; лікар physician; мова language; зрозумілість ясність clarity; корисність usefulness;
        місце rank; зображення image""",
    "nb": """
        spørsmål question; vurdering rating; karakter grade; vurderer rater; poeng score; nøyaktighet accuracy;
        flyt fluency; oversettelse translation; oppgave task; lege physician; uavgjort tie; gjennomsnitt mean;
        merknad remarks; ny nye new; gammel old; versjon version; lærer teacher; eksempel example; riktig correct""",
    "fi": """
        kysymys question; vastaus response; arvioija rater; arvio rating; arvosana grade; pisteet score; tuomari judge;
        laatu quality; tarkkuus accuracy; sujuvuus fluency; selkeys clarity; käännös translation; lause sentence;
        tehtävä task; oppilas pupil; opettaja teacher; voittaja winner; tasapeli tie; keskiarvo mean; yhteensä total;
        kommentti huomautus huomio remarks; essee essay; sisältö content; rakenne structure;
        potilas patient; malli model; versio version; uusi new; vanha old; oikein correct;
        vastaaja respondent; tyyli style; tiiviys conciseness; kielioppi grammar; luovuus creativity;
        turvallisuus safety; luonnollisuus naturalness; kohteliaisuus politeness; johdonmukaisuus consistency;
        tyytyväisyys satisfaction; luottamus trust; viesti message; tiivistelmä summary; menetelmä method;
        parempi better; ikä age; sukupuoli gender; kattavuus completeness; oikeellisuus correctness;
        osuvuus relevance; hyödyllisyys usefulness; osallistuja participant; lääkäri physician;
        asiantuntija expert; järjestelmä system; kieli language; kuva image; teksti text""",
    "hu": """
        kérdés question; válasz response; értékelő rater; értékelés rating; pontszám score; bíró judge; minőség quality;
        pontosság accuracy; fordítás translation; mondat sentence; feladat task; tanuló pupil; tanár teacher;
        győztes winner; döntetlen tie; átlag mean; összesen total; megjegyzés remarks; változat version; új new;
        régi old; helyes correct; szakértő expert; beteg patient; kép image; vizsgáló examiner; dolgozat essay;
        dátum date; szöveg text;
        stílus style; tömörség conciseness; nyelvtan grammar; kreativitás creativity; szerkezet structure;
        tartalom content; biztonság safety; természetesség naturalness; udvariasság politeness;
        elégedettség satisfaction; bizalom trust; üzenet message; összefoglaló summary; módszer method;
        jobb better; kor age; teljesség completeness; helyesség correctness; érthetőség clarity;
        hasznosság usefulness; résztvevő participant; orvos physician; címke label; rendszer system;
        sorszám number; nyelv language; folyékonyság gördülékenység fluency""",
    "ro": """
        întrebare question; răspuns response; punctaj scor score; calitate quality; acuratețe accuracy;
        traducere translation; propoziție sentence; sarcină task; câștigător winner; egalitate tie; medie mean;
        comentariu observații remarks; notă grade; versiune version; nou new; vechi old;
        concizie conciseness; creativitate creativity; structură structure; conținut content; siguranță safety;
        naturalețe naturalness; politețe politeness; coerență coherence; satisfacție satisfaction; încredere trust;
        rezumat summary; înregistrare recording; vârstă age; completitudine completeness;
        corectitudine correctness; relevanță relevance; claritate clarity; fluență fluency; utilitate usefulness;
        număr number""",
    "vi": """
        điểm score; mô_hình model; câu_hỏi question; mã_câu question_id; trả_lời câu_trả_lời response;
        giám_khảo người_chấm judge; văn_bản text; hệ_thống system; nhãn label; ghi_chú remarks; chất_lượng quality;
        chính_xác accuracy; bản_dịch translation; học_sinh pupil; giáo_viên teacher; hòa tie; trung_bình mean;
        tổng total; phiên session; mã id;
        độ_chính_xác accuracy; độ_trôi_chảy trôi_chảy fluency; mạch_lạc coherence; liên_quan relevance;
        đầy_đủ completeness; hữu_ích usefulness; tự_nhiên naturalness; người_đánh_giá rater; chuyên_gia expert;
        bác_sĩ physician; bệnh_nhân patient; phiên_bản version; ngày date; câu sentence; bài_luận essay;
        xếp_hạng rank""",
    "el": """
        ερώτηση question; απάντηση response; βαθμός grade; βαθμολογία score; βαθμολογητής κριτής judge;
        αξιολογητής rater; μοντέλο model; σύστημα system; κείμενο text; ασθενής patient; μαθητής pupil;
        καθηγητής teacher; νικητής winner; ισοπαλία tie; ποιότητα quality; ακρίβεια accuracy; μετάφραση translation;
        σύνολο total; μέσος mean; σχόλια παρατηρήσεις remarks; ηλικία age; ημερομηνία date; φύλο gender;
        συμμετέχων participant; ύφος style; συντομία conciseness; γραμματική grammar; δομή structure;
        περιεχόμενο content; ασφάλεια safety; φυσικότητα naturalness; συνοχή coherence; συνάφεια relevance;
        πληρότητα completeness; ορθότητα correctness; σαφήνεια clarity; χρησιμότητα usefulness; ευχέρεια fluency;
        ικανοποίηση satisfaction; μέθοδος method; έκδοση version; γιατρός physician; εικόνα image;
        πρόταση sentence; έγγραφο document; καλύτερο better; αριθμός number""",
    "id": """
        soal pertanyaan question; jawaban response; penilai rater; juri judge; nilai skor score; hasil result;
        penilaian rating; benar correct; versi version; terjemahan translation; kalimat sentence; tugas task;
        contoh example; siswa pupil; guru teacher; pemenang winner; seri tie; catatan komentar remarks;
        rata_rata mean; kualitas quality; akurasi accuracy; kelancaran fluency; tanggal date; kode code; baru new;
        lama old; jumlah total; pertanyaan question;
        responden respondent; gaya style; keringkasan conciseness; isi content; keamanan safety;
        kealamian naturalness; kesopanan politeness; konsistensi consistency; kepuasan satisfaction; pesan message;
        ringkasan summary; rekaman recording; usia age; kelengkapan completeness; kebenaran ketepatan correctness;
        relevansi relevance; kejelasan clarity; kegunaan manfaat usefulness; peserta participant; dokter physician;
        pasien patient; nomor number; bahasa language; gambar image; teks text; peringkat rank""",
    "ko": """
        질문 question; 답변 응답 response; 평가자 심사위원 채점자 judge; 점수 score; 평점 rating;
        정확성 정확도 accuracy; 유창성 자연스러움 fluency; 유용성 usefulness; 완전성 completeness;
        관련성 적합도 relevance; 랭커 모델 model; 시스템 system; 버전 version; 번호 number; 문항 item; 승자 winner;
        무승부 tie; 총점 합계 total; 평균 mean; 의견 비고 remarks; 라벨 label; 번역 translation; 문장 sentence;
        과제 task; 학생 pupil; 챗봇 bot; 기존 old; 신규 new;
        평가위원 판정자 심사자 judge; 항목 item; 문제 question; 날짜 date; 교사 teacher; 의사 physician; 환자 patient;
        요약 summary; 이름 name; 더_나은 better;
        응답자 respondent; 참가자 참여자 participant; 문체 style; 간결성 conciseness; 문법 grammar;
        창의성 creativity; 구조 구성 structure; 내용 content; 안전성 safety; 공손성 politeness; 일관성 consistency;
        만족도 satisfaction; 신뢰 신뢰도 trust; 메시지 message; 녹음 recording; 방법 method; 나이 연령 age;
        성별 gender; 올바름 정답 correct; 명확성 clarity; 이미지 image; 문서 document; 전문가 expert; 순위 rank;
        댓글 코멘트 remarks; 텍스트 text; 언어 language; 왼쪽 left; 오른쪽 right""",
    "zh": """
        模型 system; 评委 评分者 评审 评审员 评估者 评估员 打分人 judge; 总分 total; 准确性 accuracy;
        流畅性 流畅度 fluency; 实用性 usefulness; 相关性 relevance; 完整性 completeness; 连贯性 coherence;
        清晰度 clarity; 安全性 safety; 备注 remarks; 正确 correct; 答案 response; 任务 task; 用户 user; 听众 listener;
        音频 audio; 自然度 naturalness;
        标注员 标注者 annotator; 得分 分数 评分 打分 score; 问题 题目 question; 样本 sample; 回答 response;
        提示 prompt; 标签 label; 胜者 赢家 winner; 平局 tie; 类别 category; 题号 question_id; 编号 id;
        序号 number; 时间 time; 对话 conversation; 文章 article; 摘要 summary; 句子 sentence; 译文 translation;
        系统 system; 版本 version; 裁判 judge; 选手 运动员 contestant; 轮次 round; 均分 平均分 mean; 排名 名次 rank;
        评分员 打分员 评测员 测评员 阅卷人 judge; 专家 expert; 医生 physician; 老师 教师 teacher; 学生 pupil;
        考生 candidate; 病例 case; 患者 patient; 准确率 accuracy; 忠实度 faithfulness; 有用性 usefulness; 图片 image;
        维度 criterion; 等级 grade; 满意度 satisfaction; 更好 better; 语言 language; 日期 date; 主题 topic;
        受访者 respondent; 被试 参与者 participant; 风格 style; 简洁性 简洁 conciseness; 语法 grammar;
        创意 创造性 creativity; 结构 structure; 内容 content; 自然度 naturalness; 礼貌 politeness;
        一致性 consistency; 信任 trust; 消息 message; 录音 recording; 方法 method; 年龄 age; 性别 gender;
        正确性 correctness; 有害性 toxicity; 文本 text; 文档 document; 语音 audio; 病人 patient; 选择 choice;
        城市 city; 意见 remarks; 左 左边 左侧 left; 右 右边 右侧 right; 都不好 都差 both_bad""",
    "ar": """
        المقال article; رقم number; الدرجة score; التقييم rating; المقيم rater; الحكم judge; النظام system;
        النموذج model; السؤال question; الإجابة response; النص text; الجملة sentence; الترجمة translation;
        ملاحظات remarks; الدقة accuracy; الطلاقة fluency; المتوسط mean; المجموع total; الفائز winner; تعادل tie;
        المشارك participant; الأسلوب style; الإيجاز conciseness; القواعد grammar; البنية structure;
        المحتوى content; السلامة الأمان safety; الترابط coherence; الصلة relevance; الاكتمال completeness;
        الصحة correctness; الوضوح clarity; الفائدة usefulness; الرضا satisfaction; المريض patient;
        الطبيب physician; الطالب pupil; المعلم teacher; الخبير expert; التاريخ date; العمر age; الملخص summary;
        التصنيف label; الإصدار version; الرسالة message; الصورة image; المتسابق contestant""",
    "ja": """
        モデル model; 評価者 evaluator; 正確性 accuracy; 流暢性 fluency; 有用性 usefulness; 関連性 relevance;
        完全性 completeness; 合計 total; 備考 remarks; 審査員 judge; 採点者 marker; スコア 点数 得点 score;
        評価 rating; 評点 rating; 良かった preferred; 質問 問題 question; 回答 response; 設問 item; ラベル label;
        勝者 winner; 引き分け tie; カテゴリ category; システム system; 流暢さ fluency; 正確さ accuracy; 文体 style;
        パネル panelist; 氏名 name; 番号 number; 文 sentence; 平均 mean; 新 new; 旧 old;
        自然性 naturalness; 聴取者 listener; 被験者 participant; 発話 utterance; 手法 方式 method; 品質 quality;
        学生 pupil; 答案 essay; 医師 physician; 患者 patient; 症例 case; 要約 summary; 翻訳 translation; 日付 date;
        回答者 respondent; 参加者 participant; 簡潔さ 簡潔性 conciseness; 文法 grammar; 創造性 creativity;
        構成 structure; 丁寧さ politeness; 一貫性 consistency; 満足度 satisfaction; 信頼 trust; 録音 recording;
        年齢 age; 性別 gender; 正しさ correctness; 明瞭さ clarity; 分かりやすさ clarity; 自然さ naturalness;
        画像 image; 文書 document; 専門家 expert; 教師 teacher; 順位 rank; コメント remarks; バージョン version;
        テキスト text; 左 左側 left; 右 右側 right; 判定 verdict; 両方悪い どちらも悪い both_bad; 同等 同点 tie;
        所要秒 所要時間 duration""",
}
"""For each language groups of words, the last of each the English one."""


def _folded(text: str) -> str:
    """A text in lower case without accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", "".join(one for one in apart if unicodedata.category(one) != "Mn"))


_ENGLISH = {
    _folded(word): group.split()[-1] for words in _OF.values() for group in words.split(";") for word in group.split()
}
_WORDS = {
    language: {
        _folded(word) for group in words.split(";") for word in group.split()[:-1] if _folded(word) != group.split()[-1]
    }
    for language, words in _OF.items()
}
_PHRASES = {word for word in _ENGLISH if "_" in word}
_BEGINNINGS = frozenset(word.partition("_")[0] for word in _PHRASES)
_LONGEST = max(word.count("_") + 1 for word in _PHRASES)
_JOINED = re.compile(
    "(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[\u3040-\u9fff\uac00-\ud7a3])(?=[A-Za-z])|"
    "(?<=[\u4e00-\u9fff])[\u306e\u7684](?=[\u30a0-\u9fff])|(?<=[A-Za-z])\u306e?(?=[\u3040-\u9fff])"
)
"""Where words meet without a mark, as in ``RaterID`` and ``\u8cea\u554fID``, or with a sign for "of" between them."""
_NUMBER = "nummer"
_WITHOUT_BLANKS = re.compile("[\u3040-\u9fff]{4,}|[\uac00-\ud7a3]{4,}")
_NUMERALS = "\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d"
_CHRF = re.compile("chrF", re.IGNORECASE)
_NUMBERED = re.compile(r"(\D+?)(\d+)")
_BEHIND = re.compile(r"(?<=\w)\s*[(\[][^()\[\]]*\d[^()\[\]]*[)\]]\s*$")
_INCLUSIVE = re.compile(
    r"(?<=\w)(?:[·•]\w+|[:*/]-?(?:innen|in)|\((?:innen|in)\)|(?<=\w\w\w)/-?(?:as?|os?))(?!\w)", re.IGNORECASE
)
"""What stands behind a word for people so that it means all of them, as in ``Prüfer:in`` and ``relecteur·rice``."""
_PAIR = 2


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """A label in lower case and in English where its words are known, joined by underscores.

    Numbers in brackets behind it, such as the ends of a scale, are left out.

    Examples
    --------
    >>> plain("RaterID"), plain("Rater ID"), plain("Prüfer 1"), plain("id_pregunta"), plain("Total (0-16)")
    ('rater_id', 'rater_id', 'examiner_1', 'question_id', 'total')
    """
    bare = _INCLUSIVE.sub("", re.sub(r"^\s*(?:n°|№)\s*(\w.*)$", r"\1 number", text, flags=re.IGNORECASE))
    bare = re.sub("n°|№", " number", bare, flags=re.IGNORECASE)
    bare = re.sub("(?i)(?<![a-z])e-(mail|post)", lambda one: "e" + one[1].lower(), re.sub(r"#\s*$", " number", bare))
    bare = _BEHIND.sub("", bare)
    words = re.sub(_JOINED, "_", _CHRF.sub("chrf", bare))
    folded = words.lower() if words.isascii() else _folded(words)
    bare_words = [part for word in re.split(r"[\W_]+", folded) if word for part in _parted(word)]
    english = [*filter(None, map(_english, _in_phrases(bare_words)))]
    if len(english) == _PAIR and english[0] == "id":  # as other languages join them
        english.reverse()
    return "_".join(english)


def spoken(names: Iterable[str]) -> Counter[str]:
    """How many words of each language stand in names, by its two letters; those that English has too do not count.

    Examples
    --------
    >>> spoken(["phrase", "auditeur", "système"])["fr"], spoken(["text", "model"])["nl"]
    (2, 0)
    """
    words = {_folded(word) for name in names for word in re.split(r"[\W_]+", name)}
    return Counter({language: len(words & known) for language, known in _WORDS.items()})


def _parted(word: str) -> list[str]:
    """The two known words of two signs or more that one without blanks is made of, as the number of a dialogue."""
    if word[:-1] in _ENGLISH and word[-1] in _NUMERALS:
        return [word[:-1], str(1 + _NUMERALS.index(word[-1]))]
    if word in _ENGLISH or not _WITHOUT_BLANKS.fullmatch(word):
        return [word]
    ends = [end for end in range(_PAIR, len(word) - 1) if word[:end] in _ENGLISH and word[end:] in _ENGLISH]
    return [word[: ends[-1]], word[ends[-1] :]] if ends else [word]


def _in_phrases(words: list[str]) -> list[str]:
    """Words of which those that are known together are one, such as ``mo_hinh``."""
    if _BEGINNINGS.isdisjoint(words):
        return words
    joined: list[str] = []
    while words:
        known = next((n for n in range(_LONGEST, 1, -1) if "_".join(words[:n]) in _PHRASES), 1)
        joined.append("_".join(words[:known]))
        words = words[known:]
    return joined


def _english(word: str) -> str:
    """A word in English, with the number behind it."""
    if word in _ENGLISH:
        return _ENGLISH[word]
    if word.endswith(_NUMBER) and word.removesuffix(_NUMBER) in _ENGLISH:  # as Schülernummer and leerlingnummer
        return f"{_ENGLISH[word.removesuffix(_NUMBER)]}_number"
    numbered = _NUMBERED.fullmatch(word)
    return _ENGLISH[numbered[1]] + numbered[2] if numbered and numbered[1] in _ENGLISH else word
