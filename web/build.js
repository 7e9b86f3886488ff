// Builds the chart program that is embedded in tracetax and in every page it
// writes: internal/report/page/assets/charts.js. With --check it only compares.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const target = fileURLToPath(new URL('../internal/report/page/assets/charts.js', import.meta.url));
const source = (path) => readFile(new URL(path, import.meta.url), 'utf8');

// The licences of what is bundled ask for their notices to go with every copy.
const bundled = [
  ['Apache ECharts', 'Apache License 2.0, https://www.apache.org/licenses/LICENSE-2.0', 'echarts', 'NOTICE'],
  ['ZRender', 'BSD 3-Clause', 'zrender', 'LICENSE'],
  ['tslib', '0BSD', 'tslib', 'LICENSE.txt'],
];

async function banner() {
  const parts = ['Code generated from web/ by its build command. DO NOT EDIT.', 'It holds the following software.'];
  for (const [name, licence, dir, file] of bundled) {
    const { version } = JSON.parse(await source(`node_modules/${dir}/package.json`));
    const notice = (await source(`node_modules/${dir}/${file}`)).replaceAll('*/', '* /').replaceAll('\r', '').trim();
    parts.push(`--- ${name} ${version} (${licence})\n\n${notice}`);
  }
  return `/*!\n${parts.join('\n\n')}\n*/`;
}

const result = await build({
  entryPoints: [fileURLToPath(new URL('src/main.js', import.meta.url))],
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2020'],
  charset: 'ascii',
  legalComments: 'none', // the banner has them
  define: { 'process.env.NODE_ENV': '"production"' },
  banner: { js: await banner() },
  write: false,
});
const text = result.outputFiles[0].text;

// The program stands inside a script element of the page.
if (/<\/script|<!--/i.test(text)) throw new Error('the program holds text that would end its script element');

if (process.argv.includes('--check')) {
  if (text !== await readFile(target, 'utf8')) {
    console.error('internal/report/page/assets/charts.js is not what web/ builds: run `make charts` and commit it');
    process.exit(1);
  }
} else {
  await writeFile(target, text);
  console.log(`charts.js: ${Math.round(text.length / 1024)} KiB`);
}
