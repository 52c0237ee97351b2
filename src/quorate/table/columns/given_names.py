"""Given names of people, by which a column, or a label, is known to be somebody's."""

from __future__ import annotations

import re

from quorate.table.columns.languages import plain

_NAMES = frozenset(
    """
    aaron abby abdul abigail adam adele adrian agnes ahmed aiden aisha akira alan albert alejandro alex alexander
    alexandra alexis alfred ali alice alicia alina alison allison amanda amara amber amelia amina amir amit amy ana
    anastasia anders andre andrea andreas andrew andy angela angelica anil anita anja anke ann anna anne annette
    annika anthony antoine anton antonio anya arjun arthur arun ashley astrid audrey aurora ava barbara beatrice
    becky bella ben benjamin bernard beth bettina bianca bilal birgit bjorn bob bobby boris brandon brenda brian
    bridget bruce bruno bryan camila camille carl carla carlos carmen carol carolina caroline catherine cathy
    cecilia cem chad chantal charles charlie charlotte chen chloe chris christian christina christine christoph
    christopher cindy claire clara claudia claus clemens cleo connor craig cristina cynthia daisy dan dana daniel
    daniela danny dario dave david deborah deepa denis dennis derek diana diego dieter dimitri divya dmitri dominic
    donald donna dora doris dorothy doug douglas dylan ed eddie edgar edith eduardo edward elaine eleanor elena eli
    elias elif elijah elisa elizabeth ella ellen elliot elsa emil emilia emily emma eric erica erik erika erin ernst
    esther ethan eugene eva evan eve evelyn ewa farah farid fatima fatma felicia felix fernando fiona florian
    frances francesca francis francisco frank franz fred frieda friedrich gabriel gabriela gary gavin geoff george
    gerald gerhard giovanni gisela giulia gloria gordon grace graham greg gregor guido gunther gus gustavo hamid han
    hana hannah hans harold harriet harry hassan heather hector heidi heike heinz helen helena helga henrik henry
    hilda hiro hiroshi holly howard hugh hugo ian ibrahim ida igor ilse imran ines ingrid irene irina isaac isabel
    isabella isabelle ivan ivy jack jacob jacques jake james jamie jan jana jane janet janine jasmine jason javier jay
    jean jeff jen jennifer jenny jens jeremy jerome jerry jess jesse jessica jill jim joan joanna joao joe joel
    johan johanna john johnny jon jonas jonathan jordan jorge jose joseph josephine joshua juan judith judy julia
    julian julie jun jurgen juri justin kai karen karin karl karla kate katharina katherine kathleen kathy katie
    katja katrin keiko keith kelly ken kenji kenneth kevin kim kirsten klara klaus kofi kristen kristina kumar kurt
    kyle lara larry lars laura lauren lea leah lee leila lena leo leon leonard leonie leslie leyla li liam lina
    linda lindsay lisa liz lola lorena lori louis louise luca lucas lucia lucy luis luisa lukas luke lydia maja
    malik manfred manuel marc marcel marco marcus margaret margarita maria mariam marie marina mario marion marissa
    markus marlene marta martha martin martina mary mateo mathias matt matteo matthew matthias maurice maya megan
    mehmet mei melanie melissa mia michael michel michelle miguel mika mike mila mina mira miriam mohamed mohammad
    mohammed moira molly monica monika muhammad murat nadia nadine nancy naomi natalia natalie nate nathan neha neil
    nia nicholas nick nicola nicolas nicole nigel nikhil nikita nils nina noah noor nora norman olaf oleg olga
    oliver olivia omar oscar otto pablo pamela paolo patricia patrick paul paula pauline pavel pedro penny peter
    petra phil philip philipp phoebe pia pierre pilar piotr priya rachel rafael rahul raj ralf ralph ramon randy
    raul ravi ray rebecca regina renate rene ricardo richard rick rita rob robert roberta roberto robin rodrigo
    roger roland roman ron ronald rosa rosalind rosie roy rudolf russell ruth ryan sabine sabrina sally sam samantha
    samir samuel sandra sanjay sara sarah sasha scott sean sebastian selma serena sergei shannon sharon sheila
    shirley sigrid silke silvia simon simone sofia sonia sonja sophia sophie stacy stan stefan stefanie stella
    stephan stephanie stephen steve steven stuart sue sunil susan susanne suzanne sven svetlana sylvia takeshi
    tamara tanja tanya tara tatiana ted teresa terry theo theresa thomas tim timothy tina tobias todd tom tomas tony
    tracy travis ulrich ulrike ursula uta valentina valerie vanessa vera vernon veronica vicky victor victoria vijay
    vincent viola vivian vladimir walter wei wendy werner willem william wolfgang xavier yan yara yasmin yuki yuri
    yusuf yvonne zachary zainab zara zoe zoltan
    axel detlef egon gerd hartmut holger ingo jochen jutta rainer reiner silvio thorsten torsten udo uwe volker
    waltraud wilfried winfried kirsti mikko pekka tuomas bjarne eoin aoife declan ciara dmitry sergey yulia olena
    aino alba amal amy ania arne asha bao bram callum celia charlotta chidi dagmar dov emeka esra fatou finn gita
    greta hiroko ikram imani ines ivo jamal jin jorg juho kaya kwame lars leonor liya lorenzo luc maeve malika marek
    marko mateus mei milan mirjam nasrin ngozi niamh niko olu oskar pete pranav rahel ravindra rohan roisin rosie
    sadia sanna siobhan sofie sunita svenja tariq tess thabo theresia tove uma wanjiru
    itziar ruben xin yael yosef yuto zeynep
    agnieszka ainhoa akua alessia alexei alvaro amaka anastasiya andrei anh anjali annelies aurelie ayaka ayse
    bas basia beata beatriz burak catarina celine chiara chinedu consuelo daan daiki davide deepak deniz dorota
    ekaterina elin elisabetta elodie emelie emre fabio femke freja galina giorgia goncalo gosia guillaume hamza
    haruka honza huong ifeoma iker jakub jesper jihoon jiri jisoo joana jola joost jordi kasia kavita kerem
    khadija kirill krzysztof kuba laia lakshmi lan larisa layla lenka lerato linh linnea lotte lukasz maarten
    magda malgorzata margaux mathilde maxim merve mette michal mikkel minh minji montse mustafa mykola naoko
    nerea ngoc nguyen niccolo nikolai nomsa nuno nuria oksana ola ondrej paola paulo pawel pyotr rasmus rui
    sakura sanne selin seojun sipho soren stefano takashi tereza thibault thuy tiago tomasz tommaso vikram
    wojciech wojtek wouter xavi youssef zdenek zehra zofia zosia dmitrii
    mariya yuliya nataliya tatyana ilya evgenii vasilii
    aarav abdullah adi aditi aditya adrien agus aisyah ajay akash alejandra alessandra alessandro alexandre
    alfonso alfredo almudena amandine amrita anand ananya andi andres angeles angelo aniket anisa ankit
    antonella antonia arianna arif armin arturo asep ashok aurore ayu bagus baptiste bastien bayu belen
    benedetta benedicte bernardo bernd bernhard bhavna blanca brigitte britta budi camilla carlotta carsten
    caterina cecile cedric cesar chetan christa christelle christiane cinzia citra claudio clemence coralie
    corinne cornelia cristian cristobal cyril dalia damien debora dedi delphine desi dewi dian didier dietmar
    dimas dino dirk dolores domenico dominique donatella dwi ebru eckhard edoardo eko eleonora elise elke
    emanuele emilie emilio emmanuel endang enrica enrico enrique ernesto erwin esteban estelle ettore eugenia
    fabian fabiana fabien fabrice fabrizio fadi faisal fajar fanny fatih fausto federica federico felipe
    fernanda filippo fitri flavia flavio florence florencia franca francesco francisca francoise franziska
    frederic gabi gabriella gaelle galih gaurav gauthier geeta georg gerard giacomo gianluca gianni gilles
    ginevra gioia giovanna giulio giuseppe gonzalo gopal graciela grazia gregory gudrun guenther guillermo
    gulsen gunter gwenaelle hakan hala hannes harald harish hatice heiko helene helmut hendra herbert hermann
    hernan herve horst huda hussein ignacio ilaria iman imke indah inga intan irfan irma irmgard isha ismail
    jacopo jaime jaya jeanne joachim joaquin johann johannes joko josefina juana julien julieta juliette justine
    kamal karim karsten kartika kathrin kerstin khaled kiran konrad krishna laetitia laila lamia lata latifa
    laure laurent leandro leonardo lestari leticia letizia lidia lise livia loic lourdes luciana lucile lucio
    ludovic lutz macarena maddalena madhu maelle magali mahesh mahmoud manish manoj manon manuela manuele
    marcela marcello marcelo marcos margherita margit mariana marianne mariano marine marisol maryam massimo
    mathis matias matilde maude mauricio maurizio mauro maxime meena meera mercedes merle michaela michela
    michele mickael mirko mohan mona monique morgane moritz mukesh myriam nabil nadege nanda nathalie naveen
    nele nico niklas nisha noelia noemi noemie norbert norberto nour novi nur nuray oceane octavio olivier onur
    ornella osman ozge ozlem paloma pascal pasquale patrice perrine philippe piero pietro pooja pradeep prakash
    prasad pratama putri quentin raffaele raffaella rahmat rajesh rakesh ramiro rania raphael raquel ratna
    rebeca reinhard rekha remi renata renaud reza rian riccardo rina ritu rizki rizky rocio rodolfo rohit rolf
    romain ronja rosanna rosario roxana ruediger sabina sachin salma salvador sami samuele sana sandeep santiago
    sari sascha sebastien seema selim sergio serkan severine sevgi shreya silvana simona sinan sita siti slamet
    sneha sofiane soledad solene sonal sri stefania steffen suleyman sulis suresh surya susana susanna swantje
    swati sybille sylvain sylvie tamer tanvi tarek tiziana tono tugba ugo ulla umberto umit ute valentine
    valentino valeria varun verena veronique vicente vikas vinod virgilio virginie vittoria vittorio vivek
    viviana volkan wahyu wati widya wiebke wilhelm yann yanti yasemin yasin yasmine yavuz yolanda yudi yves
    abena akiko andriy anni anouk attila aylin balazs bence bohdan caio clement csilla daichi dimitra duarte eero
    eleni eszter gabor gergely giorgos gizem grit haruto hyejin ildiko istvan jiwoo jukka kari katalin katerina
    kavya khalid kostas laszlo liisa lucie mads marieke marketa marton matti mikhail minjun misaki natasha nikos
    njeri otieno ozan pieter quang rafaela reka riikka satoshi seoyeon sujin tamas taras thao thiago trang tuan
    veronika ville vojtech wanjiku wulan yannis yoko yuna zanele zsofia zuzana
    """.split()  # noqa: SIM905  as a list it would be many hundred lines
)


_FAMILY = re.compile(
    "[王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱郭何林罗羅梁宋郑鄭谢謝韩韓唐冯馮董萧曹袁邓鄧傅沈彭吕呂苏蘇卢盧蒋蔡贾魏薛阎潘杜戴钟汪姜范]"
    "[\u4e00-\u9fff]{1,2}"
    "|[김이박최정강조윤장임한오서신권황안송류홍][가-힣](?![성도스점수률법형식])[가-힣]"
    "|(佐藤|鈴木|高橋|田中|伊藤|渡辺|山本|中村|小林|加藤|吉田|山田|佐々木|山口|松本|井上|木村|斎藤|清水|山崎|池田|橋本|阿部|石川|前田"
    "|藤田|後藤|岡田|長谷川|村上|近藤|石井)(\\s*[\u3040-\u30ff\u4e00-\u9fff]{1,3})?"
)
"""Family names before a given one, as China, Korea and Japan write them."""
_INITIALS = re.compile(r"([^\W\d_a-z]\.[\s-]?)+[^\W\d_a-z][\w'\u2019-]+|[^\W\d_a-z][\w'\u2019-]+, ([^\W\d_a-z]\.\s?)+")
"""Initials before a family name, or behind it, such as ``K. Ito`` and ``Ito, K.``."""
_LATIN = str.maketrans(
    dict(zip("абвгдезиклмнопрстуфыэіґёїє", "abvgdeziklmnoprstufyeigeie", strict=True))
    | dict(zip("жйхцчшщъьюя", ["zh", "i", "kh", "ts", "ch", "sh", "shch", "", "", "yu", "ya"], strict=True))
)
"""Cyrillic letters as Latin ones."""


def without_remark(name: str) -> str:
    """A name without what is said of somebody behind it in brackets.

    Examples
    --------
    >>> without_remark("Judge Ana (Stripe)"), without_remark("clarity (1-5)")
    ('Judge Ana', 'clarity (1-5)')
    """
    return re.sub(r"\s*\([^()\d]+\)\s*$", "", name)


def is_given(name: str) -> bool:
    """Whether a name is a person's given name, perhaps with another word or letter behind it.

    Examples
    --------
    >>> [is_given(name) for name in ("Anna", "Bob K.", "M. Duval", "Aroma", "claude-3")]
    [True, True, True, False, False]
    >>> [is_given(name) for name in ("Ольга", "王敏", "鈴木さん", "准确性")]
    [True, True, True, False]
    """
    bare = without_remark(name).strip()
    if _FAMILY.fullmatch(bare) or _INITIALS.fullmatch(bare):
        return True
    words = plain(bare).translate(_LATIN).split("_")
    return words[0] in _NAMES and len(words) <= len(("given", "family")) and all(word.isalpha() for word in words)
