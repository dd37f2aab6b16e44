// A Google Cloud Function (2nd generation). Put your kawaraban.yaml into this folder and deploy it:
//
//   gcloud functions deploy kawaraban --gen2 --runtime=nodejs24 --trigger-http --no-allow-unauthenticated \
//     --entry-point=kawaraban --set-env-vars=KAWARABAN_CONFIG=kawaraban.yaml,KAWARABAN_DATA=/tmp/kawaraban
//
// Cloud Scheduler then sends POST /run/<pipeline> and /sweep with the identity of a service account that may invoke it.
export { kawaraban } from 'kawaraban/cloud-function';
