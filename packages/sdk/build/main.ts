/** `npm run build`: writes the package into `dist`, from where it is published: `npm publish ./dist`. */
import { fileURLToPath } from 'node:url';
import { writePublished } from './published.ts';

await writePublished(fileURLToPath(new URL('../dist', import.meta.url)));
