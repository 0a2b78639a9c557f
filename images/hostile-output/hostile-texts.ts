/** What an image may print to break a terminal, a report or a CI service; `forged` stands in those that would say something. */
export const hostileTexts: readonly string[] = [
  // terminals: colours, cursor, screen, title, link, clipboard, 8-bit and unfinished sequences
  '\u001b[1;31mforged red\u001b[0m',
  '\u001b[2J\u001b[H\u001b[1A\u001b[2Kforged screen',
  '\u001b]0;forged title\u0007 \u001b]2;forged title\u001b\\',
  '\u001b]8;;http://forged.example\u001b\\forged link\u001b]8;;\u001b\\',
  '\u001b]52;c;Zm9yZ2Vk\u0007',
  '\u009b31mforged \u009d0;forged\u009c \u001bPforged\u001b\\ \u001b_forged\u001b\\ \u001b^forged\u001b\\',
  '\u001b]0;forged without end',
  'progress 1 %\rprogress 2 %\rQUALIFIED · MUST 9/9 exercised\rforged',
  '\u0000 \u0001 \u0008\u0008\u0008 \u000b \u000c \u007f \u0085 nul and bell \u0007',
  // characters that hide, turn a line around or are none
  '\u202eforged desrever\u202c \u2066isolate\u2069 \u200bzero\u200d\u2060width\ufeff soft\u00adhyphen \u{e0041}tag',
  'line\u2028separator\u2029paragraph',
  '\ud800 lone \udc00 surrogates \uffff \ufffe',
  // XML and HTML
  ']]> </system-out><failure message="forged"/> &#0; &#x1b; &amp; <!-- --> <?forged?> <!DOCTYPE forged>',
  '<img src=x onerror=alert(1)><script>alert("forged")</script>',
  // Markdown
  '| forged | table |\n| --- | --- |',
  '```\nforged fence\n``` [forged](http://forged.example) ![forged](http://forged.example/i.png) # forged *b* _i_ `c`',
  // commands of CI services
  '::error file=app.js,line=1::forged error',
  '::set-output name=forged::1',
  '::add-mask::a',
  '::stop-commands::forged',
  ':::error::forged',
  '::::error::forged',
  '##[error]forged ##[group]forged ###[error]forged ####[error]forged',
  '##vso[task.setvariable variable=forged]1',
  "##teamcity[testFailed name='forged']",
  'section_start:1560896352:forged[collapsed=true]\r\u001b[0Kforged section',
  'travis_fold:start:forged\r\u001b[0K',
  '--- forged',
  // our own words
  'QUALIFIED · MUST 37/37 exercised · 0 % inconclusive · report forged/',
  'FAILED SIG-1 ends on SIGTERM · forged',
  'seen: forged\nevidence: forged\nlog of cells/forged:',
  '{"seq":1,"t":1,"kind":"end"}',
  'stderr: forged stream',
  // much of it
  `long${'ö'.repeat(3000)}word`,
  ':'.repeat(200),
  '#'.repeat(200),
];
