// OME's controllers of InferenceServices and BenchmarkJobs, set up as its program does.
//
// Its own program has the controllers of models as well. They import the model agent, which needs a library in Rust.
package main

import (
	"flag"
	"os"

	kedav1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/sgl-project/ome/pkg/apis/ome/v1beta1"
	"github.com/sgl-project/ome/pkg/controller/v1beta1/benchmark"
	"github.com/sgl-project/ome/pkg/controller/v1beta1/controllerconfig"
	"github.com/sgl-project/ome/pkg/controller/v1beta1/inferenceservice"
	istio "istio.io/client-go/pkg/apis/networking/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	lws "sigs.k8s.io/lws/api/leaderworkerset/v1"
)

func main() {
	probes := flag.String("health-probe-bind-address", "", "where it tells its health")
	flag.Parse()
	ctrl.SetLogger(zap.New())
	if err := run(*probes); err != nil {
		ctrl.Log.Error(err, "stopped")
		os.Exit(1)
	}
}

func run(probes string) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, v1beta1.AddToScheme, kedav1.AddToScheme, lws.AddToScheme, istio.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                server.Options{BindAddress: "0"},
		HealthProbeBindAddress: probes,
		LeaderElection:         true,
		LeaderElectionID:       "ome-controller-manager-leader-lock",
	})
	if err != nil {
		return err
	}
	if err := manager.AddReadyzCheck("ping", healthz.Ping); err != nil {
		return err
	}
	if err := addControllers(manager, kubernetes.NewForConfigOrDie(config)); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

func addControllers(manager ctrl.Manager, clients *kubernetes.Clientset) error {
	deploy, err := controllerconfig.NewDeployConfig(clients)
	if err != nil {
		return err
	}
	ingress, err := controllerconfig.NewIngressConfig(clients)
	if err != nil {
		return err
	}
	recorder := manager.GetEventRecorderFor("v1beta1Controllers")
	services := &inferenceservice.InferenceServiceReconciler{
		Client: manager.GetClient(), Clientset: clients, Log: ctrl.Log, Scheme: manager.GetScheme(), Recorder: recorder,
	}
	if err := services.SetupWithManager(manager, deploy, ingress); err != nil {
		return err
	}
	jobs := &benchmark.BenchmarkJobReconciler{
		Client: manager.GetClient(), Clientset: clients, Log: ctrl.Log, Scheme: manager.GetScheme(), Recorder: recorder,
	}
	return jobs.SetupWithManager(manager)
}
