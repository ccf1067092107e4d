# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of ../shared/zoo, which of them tests take, and what their open sizes may be."""

# Of ../shared/zoo/architectures.
ARCHITECTURES = [
    "bert_mini", "bert_mini_dynamic", "convnext_atto", "deeplabv3_mobilenet_v3_large", "densenet121", "dscnn_kws", "edgenext_xx_small",
    "efficientnet_b0", "espcn_x3", "fastvit_t8", "ghostnet_100", "inception_v3", "keyword_lstm_gru", "llama_decode_step",
    "lraspp_mobilenet_v3_large", "mnasnet_100", "mobilebert_4l", "mobilenetv1_100", "mobilenetv2_100", "mobilenetv3_large_100",
    "mobilenetv3_small_100", "mobilenetv4_conv_small", "mobileone_s0", "mobilevit_xs", "regnetx_002", "repvit_m0_9", "resnet18", "resnet50",
    "shufflenet_v2_x1_0", "squeezenet1_1", "style_transfer_small", "swin_tiny_patch4_window7_224", "tcn_dilated", "tf_efficientnet_lite0",
    "unet_small", "vit_tiny_patch16_224", "whisper_tiny_encoder"]
# Of ../shared/zoo/real.
REAL = [
    "basic_pitch", "centerface", "magika", "ppocr_cls", "ppocr_det", "ppocr_rec", "silero_vad", "silero_vad_16k_op15",
    "silero_vad_16k_static", "silero_vad_half", "silero_vad_ifless_op18", "silero_vad_sequence"]
# A third of both, of every kind: what is looked at where the whole zoo takes too long.
THIRD = [
    "mobilenetv2_100", "mobilenetv3_large_100", "shufflenet_v2_x1_0", "resnet18", "squeezenet1_1", "ghostnet_100", "mobilevit_xs",
    "vit_tiny_patch16_224", "unet_small", "keyword_lstm_gru", "bert_mini_dynamic", "llama_decode_step", "dscnn_kws", "centerface",
    "ppocr_rec", "basic_pitch", "magika", "silero_vad_half"]
ALL = ARCHITECTURES + REAL
SMALL = ["dscnn_kws", "keyword_lstm_gru"]
# What runs on ARM under qemu: 16 architectures and five real models; without --full, the second list.
ON_ARM = [
    "mobilenetv1_100", "mobilenetv2_100", "mobilenetv3_large_100", "mobilenetv4_conv_small", "shufflenet_v2_x1_0", "squeezenet1_1",
    "ghostnet_100", "mobilevit_xs", "vit_tiny_patch16_224", "unet_small", "espcn_x3", "keyword_lstm_gru", "tcn_dilated", "dscnn_kws",
    "bert_mini_dynamic", "llama_decode_step", "centerface", "magika", "ppocr_cls", "silero_vad_half", "silero_vad_ifless_op18"]
ON_ARM_SOON = ["mobilenetv2_100", "bert_mini_dynamic", "keyword_lstm_gru", "dscnn_kws", "espcn_x3", "silero_vad_half"]
# What a quick look takes, instead of all.
FEW = ["mobilenetv2_100", "bert_mini_dynamic"]
# What the sizes that a model leaves open may be.
FREE = {
    "bert_mini_dynamic": ["--dim=sequence=1..128"],
    "llama_decode_step": ["--dim=past=0..511"],
    "basic_pitch": ["--dim=unk__749=1..3"],
    "centerface": ["--shape=input.1=1..10x3x32..256:32x32..320:32"],
    "magika": ["--dim=unk__214=1..3"],
    "ppocr_cls": ["--shape=x=1..3x3x48x64..192:16"],
    "ppocr_det": ["--shape=x=1..2x3x32..320:32x32..416:32"],
    "ppocr_rec": ["--shape=x=1..2x3x48x16..320:8"],
    "silero_vad": ["--shape=input=1..2x576", "--shape=state=2x1..2x128"],
    "silero_vad_16k_op15": ["--dim=batch=1..3", "--dim=sequence=576"],
    "silero_vad_half": ["--dim=batch=1..3", "--dim=sequence=576"],
    "silero_vad_ifless_op18": ["--dim=batch=1..3", "--dim=sequence=288..576:288"],
    "silero_vad_sequence": ["--dim=sequence_length=1..16"],
}
# Data sets whose sizes need a compilation of their own, which `macec verify` makes: one rate takes 576 samples, the other 288.
OTHER_SIZES = {"silero_vad": [3]}
# Allowed difference as a share of each output's greatest magnitude: 1e-4, or three times ONNX Runtime's difference to itself.
LIMIT = {"basic_pitch": 1e-3}
DEFAULT_LIMIT = 1e-4


def limit(name):
    """Of an output, as a share of its greatest magnitude."""
    return LIMIT.get(name.removesuffix("_float16"), DEFAULT_LIMIT)


def free(name):
    """Flags that say what the open sizes of a model may be."""
    return FREE.get(name.removesuffix("_float16"), [])
