// AWS's client takes the handler from a variable. Its argument is the one around it, which finds the function's own in ORIG_HANDLER.
process.env.ORIG_HANDLER = process.env._HANDLER;
process.env._HANDLER = process.argv[2];
await import('./node_modules/aws-lambda-ric/index.mjs');
