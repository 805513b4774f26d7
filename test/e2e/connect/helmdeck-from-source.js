// The program as other programs start it, straight from its source.
import { main } from '../../../packages/helmdeck/src/server/process/main.ts';

await main(process.argv.slice(2));
